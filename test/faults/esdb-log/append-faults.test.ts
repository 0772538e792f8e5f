/**
 * Appends under load while the server goes wrong in each way it can: nothing acknowledged is
 * lost, nothing is stored twice, and the log recovers by itself.
 */
import type { AppendFailure } from '../../../src/testing/eventstore-stand-in/faults.js';
import { failure, samples } from '../../contract/event-log/sample-events.js';
import { expectTruth, writers, type Writer } from './load.js';
import { onStandIn } from './on-stand-in.js';

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : error;
}

describe('the log on EventStoreDB under load', () => {
  const on = onStandIn();
  const EACH = 12;
  const COUNT = 16;

  /** Writes; when a third is done something happens; all is told the truth. */
  async function survives(happens: () => Promise<void> | void): Promise<Writer[]> {
    const { log } = on();
    const all = writers(COUNT);
    const writing = Promise.all(all.map((writer) => writer.write(log, EACH)));
    const { observed } = on().server;
    const before = observed.appends.stored;
    await observed.until((seen) => seen.appends.stored - before >= (COUNT * EACH) / 3);
    await happens();
    await writing;
    await expectTruth(log, all);
    expect((await log.readiness()).ready).toBe(true);
    return all;
  }

  const HOWS: AppendFailure[] = [
    'unavailable',
    'shutting-down',
    'internal',
    'handler-exception',
    'cancelled',
    'aborted',
    'reset',
    'end-ok',
    'silence',
    'timeout-reply',
    'unknown-reply',
  ];
  it.each(
    HOWS.flatMap((how) => [
      { how, when: 'before-commit' as const },
      { how, when: 'after-commit' as const },
    ]),
  )('survives $how $when', async ({ how, when }) => {
    await survives(() => {
      on().server.faults.set({ failAppends: { how, when, times: 3 } });
    });
  });

  it.each(['stored', 'dropped'] as const)(
    'A2, 0a dispose: is answered in time by a silent server (%s), and finds what was written',
    async (silentAppends) => {
      await survives(async () => {
        const { server, log, reports } = on();
        server.faults.set({ silentAppends });
        const start = performance.now();
        const error = await failure(log.append('silent', 'no_stream', samples(1)));
        expect(error).toMatchObject({ code: 'outcome_unknown' });
        expect(performance.now() - start).toBeLessThan(5_000);
        server.faults.clear();
        expect(reports.join()).toContain('replacing the connection');
      });
    },
    30_000,
  );

  it('A3: half-closed by the server: takes a new client, and the next append works', async () => {
    await survives(async () => {
      const { server, log } = on();
      const before = log.counters.replacedClients;
      server.endBatchStreams();
      // Handed to the stream that is half-closed, its fate is unknown; settled, it is there.
      const [writer] = writers(1);
      await writer?.write(log, 1);
      expect(log.counters.replacedClients).toBeGreaterThan(before);
    });
  });

  it.each(['kill', 'shutdown', 'cluster-shutdown'] as const)(
    '0a SIGKILL, 0a SIGTERM, E 42: comes back by itself after a %s, the idempotency cache lost',
    async (death) => {
      await survives(() => on().server.restart(death));
    },
  );

  it('E 42: a server that forgot what it stored answers conflict; what lies there decides', async () => {
    const { server, log } = on();
    const events = samples(3);
    const first = await log.append('s', 'no_stream', events);
    await log.append('s', 2n, samples(1));
    server.faults.set({ forgetful: true });
    expect(await log.append('s', 'no_stream', events)).toEqual(first);
    const others = [...events.slice(0, 2), ...samples(1)];
    const error = await failure(log.append('s', 'no_stream', others));
    expect(error).toMatchObject({ code: 'conflict', actualRevision: 3n });
    await survives(() => {
      // Answered so at once it looks like a clock that is behind: sent again, another way.
      server.faults.set({ failAppends: { how: 'timeout-reply', when: 'after-commit', times: 9 } });
    });
  });

  it.each(['alive', 'dead'] as const)(
    'E 41: not the leader, says a single node, and names one that is %s; it goes on by itself',
    async (named) => {
      await survives(async () => {
        const { server, log } = on();
        const port = named === 'alive' ? server.port : 1;
        const before = server.observed.appends.stored;
        server.faults.set({ notLeader: { host: '127.0.0.1', port } });
        const error = await failure(log.append('meanwhile', 'no_stream', samples(1)));
        expect(['outcome_unknown', 'unavailable']).toContain(codeOf(error));
        server.faults.set({ notLeader: false });
        await server.observed.until(({ appends }) => appends.stored > before + COUNT);
      });
    },
    30_000,
  );

  it('A10: server down: nothing was stored, said at once; the same log works when it is up', async () => {
    const { server, log } = on();
    await log.append('s', 'no_stream', samples(1));
    await server.stop();
    for (let time = 0; time < 3; time += 1) {
      await failure(log.append('s', 0n, samples(1)));
    }
    const start = performance.now();
    const error = await failure(log.append('s', 0n, samples(1)));
    expect(error).toMatchObject({ code: 'unavailable', reason: 'unreachable' });
    expect(performance.now() - start).toBeLessThan(1_000);
    expect((await log.readiness()).ready).toBe(false);
    await server.comeBack();
    expect((await log.append('s', 0n, samples(1))).revision).toBe(1n);
  });

  it('0a not ready, E 34: waits while a server is not ready', async () => {
    await survives(async () => {
      const { server, log } = on();
      server.faults.set({ notReady: 'appends' });
      // It gets ready in a quarter of a second.
      setTimeout(() => {
        server.faults.clear();
      }, 250);
      expect((await log.append('soon', 'no_stream', samples(1))).revision).toBe(0n);
    });
  });

  it('says that nothing was stored when a server stays not ready', async () => {
    const { server, log } = on();
    server.faults.set({ notReady: 'appends' });
    const error = await failure(log.append('s', 'no_stream', samples(1)));
    expect(error).toMatchObject({ code: 'unavailable' });
    server.faults.clear();
    expect((await log.append('s', 'no_stream', samples(1))).revision).toBe(0n);
  });

  it('0a freeze: freezes with the server, and goes on with it', async () => {
    await survives(async () => {
      const { server, log } = on();
      server.freeze();
      const error = await failure(log.append('frozen', 'no_stream', samples(1)));
      expect(['outcome_unknown', 'unavailable']).toContain(codeOf(error));
      server.thaw({ dropped: true });
    });
  });

  it('A5: tells the true revision after a conflict', async () => {
    const { log } = on();
    await log.append('s', 'no_stream', samples(5));
    const error = await failure(log.append('s', 1n, samples(1)));
    expect(error).toMatchObject({ code: 'conflict', actualRevision: 4n });
  });

  it('refuses more than its bound at once, and takes more afterwards', async () => {
    const { server, log } = on();
    server.faults.set({ silentAppends: 'stored' });
    const appends = Array.from({ length: 4_200 }, (_, index) =>
      log.append(`many-${index}`, 'no_stream', samples(1)).catch((error: unknown) => error),
    );
    const outcomes = await Promise.all(appends);
    const overloaded = outcomes.filter(
      (outcome) =>
        outcome instanceof Error && 'reason' in outcome && outcome.reason === 'overloaded',
    );
    expect(overloaded).toHaveLength(4_200 - 4_096);
    server.faults.clear();
    expect((await log.append('next', 'no_stream', samples(1))).revision).toBe(0n);
  }, 30_000);
});

describe('the log on EventStoreDB, the clock of its machine behind', () => {
  // An answer that comes early in this time says so.
  const on = onStandIn({ appendTimeoutMs: 15_000, readTimeoutMs: 15_000 });

  it('0a clock: takes the classic path under load, and says so', async () => {
    const { server, log, reports } = on();
    const all = writers(8);
    const writing = Promise.all(all.map((writer) => writer.write(log, 8)));
    await server.observed.until(({ appends }) => appends.stored > 16);
    server.faults.set({ clockAheadMs: 30_000 });
    const classic = server.observed.count('Streams/Append');
    expect((await log.append('clock', 'no_stream', samples(1))).revision).toBe(0n);
    expect(server.observed.count('Streams/Append')).toBeGreaterThan(classic);
    expect(reports.join()).toContain('clock');
    await writing;
    await expectTruth(log, all);
  });
});
