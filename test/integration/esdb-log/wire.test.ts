/** What of the log is seen on the wire. An update of the client that undoes it fails here. */
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { openEsdbEventLog } from '../../../src/events/log/esdb/open-esdb-event-log.js';
import { LOG_START } from '../../../src/events/log/position.js';
import { StandInCluster } from '../../../src/testing/eventstore-stand-in/stand-in-cluster.js';
import { EventStoreStandIn } from '../../../src/testing/eventstore-stand-in/stand-in.js';
import {
  all,
  eventsOf,
  sample,
  samples,
  untilCaughtUp,
} from '../../contract/event-log/sample-events.js';
import { expectTruth, Writer } from '../../faults/esdb-log/load.js';

describe('the log on the wire', () => {
  let server: EventStoreStandIn | undefined;
  const standIn = (): EventStoreStandIn => {
    if (server === undefined) throw new Error('no server');
    return server;
  };
  beforeEach(async () => {
    server = await EventStoreStandIn.start();
  });
  afterEach(async () => {
    await server?.close();
  });

  async function use(compression: 'off' | 'gzip' | undefined): Promise<void> {
    const { connectionString } = standIn();
    const log = await openEsdbEventLog({
      connectionString,
      ...(compression ? { compression } : {}),
    });
    await log.append('s', 'no_stream', samples(2));
    await all(log.read('s', { direction: 'forwards', limit: 5 }));
    const puller = log.pull({ prefix: 's', after: LOG_START });
    await untilCaughtUp(puller);
    await puller.close();
    await log.close();
  }

  it('0a gzip: offers no compression, on each of our calls', async () => {
    await use(undefined);
    const ours = standIn().observed.calls.filter((call) => call.connectionName !== undefined);
    expect(new Set(ours.map((call) => call.method))).toEqual(
      new Set(['Streams/BatchAppend', 'Streams/Read']),
    );
    expect(new Set(ours.map((call) => call.acceptEncoding))).toEqual(new Set(['identity']));
  });

  it('offers gzip where that is set', async () => {
    await use('gzip');
    const ours = standIn().observed.calls.filter((call) => call.connectionName !== undefined);
    for (const call of ours) expect(call.acceptEncoding).toContain('gzip');
  });

  it("leaves the host application's own client as it is", async () => {
    await use('off');
    const client = EventStoreDBClient.connectionString(
      `${standIn().connectionString}&connectionName=theirs`,
    );
    await client.appendToStream('theirs', jsonEvent({ type: 't', data: {} }));
    await client.dispose();
    const theirs = standIn().observed.calls.filter((call) => call.connectionName === 'theirs');
    expect(theirs.length).toBeGreaterThan(0);
    for (const call of theirs) expect(call.acceptEncoding).toContain('gzip');
  });

  it('requires the leader on every call', async () => {
    await use('off');
    const ours = standIn().observed.calls.filter((call) => call.connectionName !== undefined);
    expect(ours.every((call) => call.requiresLeader)).toBe(true);
  });

  it('stores exactly the bytes that were checked', async () => {
    const { connectionString } = standIn();
    const log = await openEsdbEventLog({ connectionString });
    const text = { b: 1e21, a: -0, 10: 'x', 2: '\u2028 👋', nested: { list: [null, 0.1, '"'] } };
    const event = sample(text);
    await log.append('s', 'no_stream', [event]);
    const client = EventStoreDBClient.connectionString(connectionString);
    let data = '';
    for await (const { event: stored } of client.readStream('s')) {
      data = JSON.stringify(stored?.data);
    }
    expect(data).toBe(JSON.stringify(text));
    await client.dispose();
    await log.close();
  });

  it('keeps other metadata when it truncates, and writes at its revision', async () => {
    const { connectionString } = standIn();
    const log = await openEsdbEventLog({ connectionString });
    await log.append('s', 'no_stream', samples(5));
    const acl = { $acl: { $r: ['a', 'b'] }, $maxAge: 100, own: { deep: [1, '9007199254740993'] } };
    await log.append('$$s', 'no_stream', [sample(acl, '$metadata')]);
    await log.truncate('s', 3n);
    await log.truncate('s', 2n);
    const [last] = await all(log.read('$$s', { direction: 'backwards', limit: 1 }));
    expect(last).toMatchObject({ revision: 1n, data: { ...acl, $tb: 3 } });
    await log.close();
  });

  it('follows the leader of a cluster, to another and off a dead one (E 13, E 14)', async () => {
    const cluster = await StandInCluster.start();
    try {
      const { connectionString, nodes } = cluster;
      const log = await openEsdbEventLog({ connectionString });
      const ledBy = async (at: number): Promise<void> => {
        const node = nodes[at];
        if (node === undefined) throw new Error('no such node');
        const before = node.observed.appends.stored;
        const writer = new Writer(`leader-${at}`);
        await writer.write(log, 3);
        await expectTruth(log, [writer]);
        expect(node.observed.appends.stored).toBeGreaterThan(before);
      };
      await ledBy(0);
      if (nodes[1]) cluster.lead(nodes[1]);
      await ledBy(1);
      await nodes[1]?.stop();
      if (nodes[2]) cluster.lead(nodes[2]);
      await ledBy(2);
      const puller = log.pull({ prefix: 'load-', after: LOG_START });
      expect(eventsOf(await untilCaughtUp(puller)).length).toBeGreaterThanOrEqual(9);
      await puller.close();
      await log.close();
    } finally {
      await cluster.close();
    }
  }, 60_000);
});
