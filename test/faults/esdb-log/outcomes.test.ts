/**
 * What a real server was measured to do (eventstoredb.md 0a), and faults of clients and
 * subscriptions that others reported (faults.md C), against the log. docs/eventstoredb-faults.md
 * is the index of all of them.
 */
import { openEsdbEventLog } from '../../../src/events/log/esdb/open-esdb-event-log.js';
import type { EventPuller, StoredEvent } from '../../../src/events/log/event-log.js';
import { LOG_START, type Position } from '../../../src/events/log/position.js';
import { StandInCluster } from '../../../src/testing/eventstore-stand-in/stand-in-cluster.js';
import { EventStoreStandIn } from '../../../src/testing/eventstore-stand-in/stand-in.js';
import {
  all,
  eventsOf,
  failure,
  ids,
  sample,
  samples,
  untilCaughtUp,
} from '../../contract/event-log/sample-events.js';
import { expectTruth, writers } from './load.js';
import { onStandIn } from './on-stand-in.js';

const FORWARDS = { direction: 'forwards', limit: 1_000 } as const;

describe('what a real server does', () => {
  const on = onStandIn();

  it('0a freeze: a short one only delays the append', async () => {
    const { server, log } = on();
    await log.append('s', 'no_stream', samples(1));
    server.freeze();
    const { received } = server.observed.appends;
    const append = log.append('s', 0n, samples(1));
    setTimeout(() => {
      server.thaw({ dropped: false });
    }, 300);
    expect((await append).revision).toBe(1n);
    expect(server.observed.appends.received).toBe(received + 1);
    expect(log.counters.replacedClients).toBe(0);
  });

  it('0a same id after a restart: done, with the first result, also below later events', async () => {
    const { server, log } = on();
    const [first, second] = [samples(2), samples(2)];
    const results = [await log.append('s', 'no_stream', first), await log.append('s', 1n, second)];
    await log.append('s', 3n, samples(1));
    await server.restart();
    const again = async (): Promise<unknown> => [
      await log.append('s', 'no_stream', first),
      await log.append('s', 1n, second),
    ];
    // The first append after the death of its connection may have an unknown outcome.
    expect(await again().catch(again)).toEqual(results);
    expect(await all(log.read('s', FORWARDS))).toHaveLength(5);
  });

  it('0a truncated revision: the server begins elsewhere, and nothing is taken for what it is not', async () => {
    const { server, log } = on();
    const events = samples(3);
    await log.append('s', 'no_stream', events);
    // The first one once more, at another revision: a write like any other.
    await log.append('s', 2n, events.slice(0, 1));
    await log.truncate('s', 3n);
    const [read] = await all(log.read('s', { direction: 'forwards', from: 1n, limit: 1 }));
    expect(read?.revision).toBe(3n);
    // What would prove that the append was stored is gone: no success is made up.
    server.faults.set({ forgetful: true });
    const error = await failure(log.append('s', 'no_stream', events.slice(0, 1)));
    expect(error).toMatchObject({ code: 'conflict', actualRevision: 3n });
  });

  it('0a tombstone: said plainly to writer and reader, and others flow', async () => {
    const { server, log } = on();
    await log.append('s-a', 'no_stream', samples(1));
    server.store.tombstone('s-a', 'any');
    const [event] = samples(1);
    await log.append('s-b', 'no_stream', event ? [event] : []);
    const writing = await failure(log.append('s-a', 0n, samples(1)));
    expect(String(writing)).toContain('tombstoned and can never be written');
    const reading = await failure(all(log.read('s-a', FORWARDS)));
    expect(String(reading)).toContain('tombstoned and can never be read');
    const puller = log.pull({ prefix: 's', after: LOG_START });
    expect(eventsOf(await untilCaughtUp(puller)).at(-1)?.id).toBe(event?.id);
    await puller.close();
  });

  it('0a soft delete: the stream is empty, and goes on at its revision', async () => {
    const { server, log } = on();
    await log.append('s', 'no_stream', samples(2));
    server.store.delete('s', 'any');
    expect(await all(log.read('s', FORWARDS))).toEqual([]);
    expect((await log.append('s', 1n, samples(1))).revision).toBe(2n);
    expect((await all(log.read('s', FORWARDS))).map(({ revision }) => revision)).toEqual([2n]);
  });

  it('0a beyond the end: goes live without a word, so the pull only waits', async () => {
    const { log } = on();
    const head = await log.head();
    const beyond: Position = { commit: head.commit + 10_000n, prepare: head.prepare + 10_000n };
    const puller = log.pull({ prefix: 's', after: beyond });
    expect(await puller.next()).toMatchObject({ events: [], checkpoint: beyond, caughtUp: true });
    await puller.close();
  });

  it('0a new leader, E 13: leaders die under load, elections refuse for a while', async () => {
    const cluster = await StandInCluster.start();
    try {
      const log = await openEsdbEventLog({
        connectionString: cluster.connectionString,
        appendTimeoutMs: 3_000,
      });
      const writing = writers(8);
      const done = Promise.all(writing.map((writer) => writer.write(log, 12)));
      const [first, second, third] = cluster.nodes;
      for (const [old, next, death] of [
        [first, second, 'kill'],
        [second, third, 'cluster-shutdown'],
      ] as const) {
        if (old === undefined || next === undefined) throw new Error('a small cluster');
        const before = old.observed.appends.stored;
        await old.observed.until(({ appends }) => appends.stored > before + 8);
        next.faults.set({ notReady: 'appends' });
        cluster.lead(next);
        await old.stop(death);
        // An election is over after a while.
        setTimeout(() => {
          next.faults.clear();
        }, 300);
      }
      await done;
      await expectTruth(log, writing);
      await log.close();
    } finally {
      await cluster.close();
    }
  }, 60_000);
});

describe('what a real server does, given time', () => {
  const on = onStandIn({ appendTimeoutMs: 15_000, readTimeoutMs: 15_000 });

  it('0a 100 calls a connection: many reads and pulls never stop an append', async () => {
    const { log } = on();
    await log.append('s', 'no_stream', samples(3));
    const pullers = Array.from({ length: 40 }, () => log.pull({ prefix: 's', after: LOG_START }));
    await Promise.all(pullers.map(untilCaughtUp));
    const reads = Array.from({ length: 200 }, () => all(log.read('s', FORWARDS)));
    expect((await log.append('s', 2n, samples(1))).revision).toBe(3n);
    await Promise.all(reads);
    await Promise.all(pullers.map((puller) => puller.close()));
  });
});

describe('what others reported of subscriptions', () => {
  const on = onStandIn();
  const pull = (after = LOG_START, options = {}): EventPuller =>
    on().log.pull({ prefix: 's', after, ...options });
  const rest = async (after: Position): Promise<StoredEvent[]> => {
    const puller = pull(after);
    const events = eventsOf(await untilCaughtUp(puller));
    await puller.close();
    return events;
  };

  it('C 1, C 6: resumes after any event inside one append, and between two of one batch', async () => {
    const { log } = on();
    const events = samples(9);
    await log.append('s', 'no_stream', events);
    const puller = pull(LOG_START, { maxEvents: 4 });
    const batch = await puller.next();
    await puller.close();
    // What has arrived by then, but never more than was asked for.
    const cut = batch?.events.length ?? 0;
    expect(cut).toBeLessThanOrEqual(4);
    expect(ids(batch?.events ?? [])).toEqual(ids(events.slice(0, cut)));
    expect(ids(await rest(batch?.checkpoint ?? LOG_START))).toEqual(ids(events.slice(cut)));
    for (const [index, { position }] of (await rest(LOG_START)).entries()) {
      expect(ids(await rest(position))).toEqual(ids(events.slice(index + 1)));
    }
  });

  it('C 3: killed exactly at "caught up", and started again: nothing is lost', async () => {
    const { log } = on();
    let expected: 'no_stream' | bigint = 'no_stream';
    let after = LOG_START;
    for (let round = 0; round < 20; round += 1) {
      const events = samples(2);
      const { revision } = await log.append('s', expected, events);
      expected = revision;
      await log.append(`other-${round}`, 'no_stream', samples(1));
      const puller = pull(after);
      const batches = await untilCaughtUp(puller);
      await puller.close();
      expect(ids(eventsOf(batches))).toEqual(ids(events));
      after = batches.at(-1)?.checkpoint ?? after;
    }
  });

  it('C 7: what is stored after each batch loses nothing, wherever it is cut', async () => {
    const { log } = on();
    const events = samples(60);
    await log.append('s', 'no_stream', events);
    const puller = pull(LOG_START, { maxEvents: 7 });
    const seen: string[] = [];
    while (seen.length < events.length) {
      const batch = await puller.next();
      seen.push(...ids(batch?.events ?? []));
      const left = ids(await rest(batch?.checkpoint ?? LOG_START));
      expect([...seen, ...left]).toEqual(ids(events));
    }
    await puller.close();
  });

  it('C 19: after ten thousand events the checkpoint is the last of them', async () => {
    const { log } = on();
    for (let at = 0; at < 10_000; at += 500) {
      await log.append('s', at === 0 ? 'no_stream' : BigInt(at - 1), samples(500));
    }
    const puller = pull();
    const batches = await untilCaughtUp(puller);
    await puller.close();
    expect(eventsOf(batches)).toHaveLength(10_000);
    expect(batches.at(-1)?.checkpoint).toEqual(await log.head());
  }, 60_000);

  it('C 21: begun at the end, it checkpoints all the same', async () => {
    const { log } = on();
    await log.append('s', 'no_stream', samples(3));
    const puller = pull(await log.head());
    await untilCaughtUp(puller);
    await log.append('s', 2n, samples(1));
    const batch = await puller.next();
    await puller.close();
    expect(batch?.events).toHaveLength(1);
    const events = samples(2);
    await log.append('s', 3n, events);
    expect(ids(await rest(batch?.checkpoint ?? LOG_START))).toEqual(ids(events));
  });

  it('C 46: each loss is told, and one subscription lives', async () => {
    const { server, log } = on();
    await log.append('s', 'no_stream', samples(1));
    let after = LOG_START;
    for (let loss = 1; loss <= 3; loss += 1) {
      const puller = pull(after);
      after = (await untilCaughtUp(puller)).at(-1)?.checkpoint ?? after;
      const lost = failure(puller.next());
      server.endSubscriptions('unavailable');
      expect(await lost).toMatchObject({ code: 'unavailable' });
      await puller.close();
      expect(log.counters.lostSubscriptions).toBe(loss);
    }
    const puller = pull(after);
    await untilCaughtUp(puller);
    expect(server.observed.liveSubscriptions).toHaveLength(1);
    await puller.close();
  });
});

it('C 18: events of one millisecond keep the order of the log', async () => {
  const server = await EventStoreStandIn.start({ now: () => 1_750_000_000_000 });
  const log = await openEsdbEventLog({ connectionString: server.connectionString });
  const events = samples(40);
  await Promise.all(
    events.map((event, index) => log.append(`s-${index % 4}-${index}`, 'no_stream', [event])),
  );
  const puller = log.pull({ prefix: 's', after: LOG_START });
  const pulled = eventsOf(await untilCaughtUp(puller));
  expect(new Set(pulled.map(({ created }) => created.getTime())).size).toBe(1);
  const places = pulled.map(({ position }) => position.commit);
  expect(places).toEqual([...places].sort((a, b) => (a < b ? -1 : 1)));
  expect(new Set(ids(pulled))).toEqual(new Set(ids(events)));
  await puller.close();
  await log.close();
  await server.close();
});

it('C 59: revisions above 2^53 stay whole', async () => {
  const server = await EventStoreStandIn.start();
  const first = 2n ** 53n + 1n;
  server.store.startStreamAt('s', first);
  const encoded = Buffer.from('{}');
  const { id, type } = sample();
  const stored = { id, type, contentType: 'application/json', data: encoded, metadata: encoded };
  server.store.append('s', 'any', [stored]);
  const log = await openEsdbEventLog({ connectionString: server.connectionString });
  expect((await log.append('s', first, samples(2))).revision).toBe(first + 2n);
  const read = await all(log.read('s', { direction: 'forwards', from: first + 1n, limit: 5 }));
  expect(read.map(({ revision }) => revision)).toEqual([first + 1n, first + 2n]);
  await log.close();
  await server.close();
});
