/** Opening the log on a server that is not there yet, or that will not have us. */
import { connectionSettings } from '../../../src/events/log/esdb/connection-settings.js';
import { openEsdbEventLog } from '../../../src/events/log/esdb/open-esdb-event-log.js';
import { EventStoreStandIn } from '../../../src/testing/eventstore-stand-in/stand-in.js';
import { failure, samples } from '../../contract/event-log/sample-events.js';

describe('opening the log on EventStoreDB', () => {
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

  it('waits for a server that is down, says so, and goes on when it is up', async () => {
    const { connectionString } = standIn();
    await standIn().stop();
    let heard: (() => void) | undefined;
    const twice = new Promise<void>((resolve) => {
      heard = resolve;
    });
    const reports: string[] = [];
    const opening = openEsdbEventLog({
      connectionString,
      report: (_, message) => {
        reports.push(message);
        if (reports.length === 2) heard?.();
      },
    });
    await twice;
    await standIn().comeBack();
    const log = await opening;
    expect(reports[0]).toMatch(/127\.0\.0\.1:\d+ is not ready: .*trying again in 200 ms/);
    await log.close();
  });

  it('0a start: waits through the phases of a start: reads work before appends do', async () => {
    const { faults, connectionString } = standIn();
    faults.set({ notReady: 'all' });
    let reports = 0;
    const log = await openEsdbEventLog({
      connectionString,
      appendTimeoutMs: 1_000,
      report: () => {
        reports += 1;
        faults.set({ notReady: reports < 2 ? 'appends' : false });
      },
    });
    expect(reports).toBeGreaterThanOrEqual(2);
    expect(await log.readiness()).toEqual({
      ready: true,
      append: { ready: true },
      subscribe: { ready: true },
    });
    await log.close();
  });

  it.each([
    ['all-stream', /may not read and subscribe to \$all\. See/],
    ['everything', /may not read the stream planlog-log; may not write to the stream planlog-log;/],
  ] as const)('names the right that is missing at once: %s', async (deny, text) => {
    standIn().faults.set({ deny });
    const { connectionString } = standIn();
    const error = await failure(openEsdbEventLog({ connectionString }));
    expect(error).toMatchObject({ name: 'EsdbStartError' });
    expect(String(error)).toMatch(text);
  });

  it('names a password that is wrong', async () => {
    standIn().faults.set({
      failCalls: { how: 'unauthenticated', calls: ['append', 'read', 'subscribe'] },
    });
    const { connectionString } = standIn();
    const error = await failure(openEsdbEventLog({ connectionString }));
    expect(String(error)).toMatch(/user name or the password/);
  });

  it('names a wrong scheme: TLS to a port without it', async () => {
    const connectionString = standIn().connectionString.replace('tls=false', 'tls=true');
    const error = await failure(openEsdbEventLog({ connectionString }));
    expect(error).toMatchObject({ name: 'EsdbStartError' });
    expect(String(error)).toContain('tls=false');
  });

  it('gives up when it is told to, and when its time is over', async () => {
    const { connectionString } = standIn();
    await standIn().stop();
    const abort = new AbortController();
    const opening = failure(
      openEsdbEventLog({
        connectionString,
        signal: abort.signal,
        report: () => {
          abort.abort();
        },
      }),
    );
    expect(await opening).toMatchObject({ code: 'unavailable' });
    const late = await failure(openEsdbEventLog({ connectionString, startTimeoutMs: 300 }));
    expect(late).toMatchObject({ code: 'unavailable' });
  });

  it('is not ready while only one of the two ways works, and says which (C 39, C 47)', async () => {
    const { faults, connectionString } = standIn();
    const log = await openEsdbEventLog({ connectionString, appendTimeoutMs: 1_000 });
    faults.set({ notReady: 'appends' });
    await failure(log.append('s', 'no_stream', samples(1)));
    const { ready, append } = await log.readiness();
    expect({ ready, append: append.ready }).toEqual({ ready: false, append: false });
    expect(append.problem).toContain('not ready');
    faults.clear();
    await log.append('s', 'no_stream', samples(1));
    expect((await log.readiness()).ready).toBe(true);
    await log.close();
  });

  it('agrees on one id with whoever opens it at the same time', async () => {
    const { connectionString } = standIn();
    const logs = await Promise.all(
      Array.from({ length: 4 }, () => openEsdbEventLog({ connectionString })),
    );
    const ids = await Promise.all(logs.map((log) => log.logId()));
    expect(new Set(ids).size).toBe(1);
    await Promise.all(logs.map((log) => log.close()));
  });

  it.each([
    ['http://host:2113', /begins with esdb:\/\//],
    ['esdb://u:secret@host:port', /cannot be read/],
    ['esdb://host?tlsCAFile=/no/such/file', /tlsCAFile names does not exist/],
    ['esdb://host?userCertFile=/x', /go together/],
  ])('refuses %s and keeps the password to itself', (text, message) => {
    expect(() => connectionSettings(text)).toThrow(message);
    expect(() => connectionSettings(text)).not.toThrow(/secret/);
  });
});
