/**
 * Each switch of the stand-in, thrown while eight writers append and a runner follows: nothing
 * acknowledged is lost, nothing is stored or handled twice, and all goes on by itself.
 */
import type { Checkpoint } from '../../../src/projections/runtime/checkpoint.js';
import { Runner } from '../../../src/projections/runtime/runner.js';
import type { FaultSwitches } from '../../../src/testing/eventstore-stand-in/faults.js';
import type { EventStoreStandIn } from '../../../src/testing/eventstore-stand-in/stand-in.js';
import { expectTruth, writers } from './load.js';
import { onStandIn } from './on-stand-in.js';

const WRITERS = 8;
const EACH = 10;
/** For how long something is wrong, in milliseconds. */
const WRONG_MS = 300;

const SWITCHES: readonly (readonly [string, Partial<FaultSwitches>])[] = [
  ['silent, stored', { silentAppends: 'stored' }],
  ['silent, dropped', { silentAppends: 'dropped' }],
  ['not ready', { notReady: 'all' }],
  ['not the leader', { notLeader: { host: '127.0.0.1', port: 1 } }],
  ['everything unavailable', failing('unavailable')],
  ['everything internal', failing('internal')],
  ['everything thrown by handler', failing('handler-exception')],
  ['mute subscriptions', { muteSubscriptions: true }],
  ['delivered three times', { deliveries: 3 }],
  ['slow', { slow: { appendMs: 50, readMs: 2 } }],
  ['a past deadline', { clockAheadMs: 30_000 }],
  ['access denied on $all', { deny: 'all-stream' }],
  ['access denied on everything', { deny: 'everything' }],
  ['forgetful', { forgetful: true }],
];

const DEEDS: readonly (readonly [string, (server: EventStoreStandIn) => unknown])[] = [
  ['frozen, then dropped', thawingDropped],
  ['frozen, then awake', thawing],
  ['batch streams half-closed', endBatchStreams],
  ['subscriptions ended with OK', endSubscriptions],
  ['connections reset', resetConnections],
  ['restarted, its cache lost', (server) => server.restart()],
];

function endBatchStreams(server: EventStoreStandIn): void {
  server.endBatchStreams();
}

function endSubscriptions(server: EventStoreStandIn): void {
  server.endSubscriptions();
}

function resetConnections(server: EventStoreStandIn): void {
  server.resetConnections();
}

function failing(how: 'unavailable' | 'internal' | 'handler-exception'): Partial<FaultSwitches> {
  return { failCalls: { how, calls: ['append', 'read', 'subscribe'] } };
}

function thawing(server: EventStoreStandIn, dropped = false): void {
  server.freeze();
  setTimeout(() => {
    server.thaw({ dropped });
  }, WRONG_MS);
}

function thawingDropped(server: EventStoreStandIn): void {
  thawing(server, true);
}

describe('while writers append and a runner follows', () => {
  const on = onStandIn();

  async function survives(goesWrong: (server: EventStoreStandIn) => unknown): Promise<void> {
    const { server, log } = on();
    const handled: { readonly stream: string; readonly id: string }[] = [];
    let kept: Checkpoint | undefined;
    const runner = new Runner(
      log,
      {
        name: 'switches',
        prefix: 'load-',
        checkpoint: () => Promise.resolve(kept),
        commit: (events, checkpoint) => {
          kept = checkpoint;
          handled.push(...events.map(({ stream, id }) => ({ stream, id })));
          server.observed.changed();
          return Promise.resolve();
        },
        reached: () => undefined,
      },
      { backoff: { baseMs: 5, maxMs: 50, random: () => 0.5 } },
    );
    runner.start();
    await runner.caughtUp();
    const all = writers(WRITERS);
    const writing = Promise.all(all.map((writer) => writer.write(log, EACH)));
    const before = server.observed.appends.stored;
    await server.observed.until(({ appends }) => appends.stored >= before + WRITERS * 2);
    await goesWrong(server);
    await writing;
    await expectTruth(log, all);
    const total = all.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
    await server.observed.until(() => handled.length >= total);
    for (const { stream, acknowledged } of all) {
      const seen = handled.filter((event) => event.stream === stream).map(({ id }) => id);
      expect(seen).toEqual(acknowledged);
    }
    await runner.stop(5_000);
    expect((await log.readiness()).ready).toBe(true);
  }

  it.each(SWITCHES)(
    '%s',
    async (_, switches) => {
      await survives((server) => {
        server.faults.set(switches);
        setTimeout(() => {
          server.faults.clear();
        }, WRONG_MS);
      });
    },
    60_000,
  );

  it.each(DEEDS)(
    '%s',
    async (_, deed) => {
      await survives(deed);
    },
    60_000,
  );
});
