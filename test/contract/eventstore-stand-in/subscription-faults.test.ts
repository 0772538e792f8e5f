/**
 * Each switch that makes subscriptions go wrong, and what the real client then shows.
 */
import { ANY } from '@eventstore/db-client';
import { append, onStandIn, read, Watched } from './stand-in-client.js';

describe('a subscription that the server ends', () => {
  test(
    'with OK ends quietly: no error',
    onStandIn(async (scene) => {
      const watched = new Watched(scene);
      await watched.sees('caughtUp');
      scene.standIn.endSubscriptions();
      await watched.sees('close');
      expect(watched.seen).toEqual(['confirmation', 'checkpoint', 'caughtUp', 'end', 'close']);
    }),
  );

  test.each([
    ['unavailable', 'UnavailableError: 14 UNAVAILABLE: Unavailable'],
    ['shutting-down', 'UnavailableError: 14 UNAVAILABLE: Server Is Shutting Down'],
    ['internal', 'UnknownError: 13 INTERNAL: Internal'],
    ['handler-exception', 'UnknownError: 2 UNKNOWN: Exception was thrown by handler.'],
    ['cancelled', 'CancelledError: 1 CANCELLED: The operation was canceled.'],
    ['aborted', 'TimeoutError: 10 ABORTED: Operation timed out: Commit phase timeout'],
  ] as const)('by %s shows one error, and nothing more', (failure, shown) =>
    onStandIn(async (scene) => {
      const watched = new Watched(scene);
      await watched.sees('caughtUp');
      scene.standIn.endSubscriptions(failure);
      await watched.sees(shown);
      await append(scene, 'watched-1');
      expect(watched.seen.slice(3)).toEqual([shown]);
      expect(scene.standIn.observed.liveSubscriptions).toEqual([]);
    })(),
  );

  test(
    'by a reset connection shows one error',
    onStandIn(async (scene) => {
      const watched = new Watched(scene);
      await watched.sees('caughtUp');
      scene.standIn.resetConnections();
      await watched.sees('UnavailableError: 14 UNAVAILABLE: read ECONNRESET');
    }),
  );
});

describe('a mute subscription', () => {
  test(
    'stays open and shows nothing until it goes on, with nothing lost',
    onStandIn(async (scene) => {
      const { standIn } = scene;
      const watched = new Watched(scene);
      await watched.sees('caughtUp');
      standIn.faults.set({ muteSubscriptions: true });
      await append(scene, 'watched-1');
      expect(await read(scene, 'watched-1')).toHaveLength(1);
      expect(watched.events).toEqual([]);
      expect(standIn.observed.liveSubscriptions).toMatchObject([{ source: '$all', sent: 0 }]);

      standIn.faults.clear();
      await watched.sees('watched-1@0');
      await watched.subscription.unsubscribe();
    }),
  );

  test(
    'that is new is not even confirmed',
    onStandIn(async (scene) => {
      const { standIn } = scene;
      standIn.faults.set({ muteSubscriptions: true });
      const watched = new Watched(scene);
      await standIn.observed.until((seen) => seen.liveSubscriptions.length === 1);
      await read(scene, 'watched-1');
      expect(watched.seen).toEqual([]);
      expect(standIn.observed.liveSubscriptions).toMatchObject([{ confirmed: false }]);
      await watched.subscription.unsubscribe();
    }),
  );
});

describe('a subscription with faults in what it is sent', () => {
  test(
    'gets each event as often as it is told',
    onStandIn(async (scene) => {
      scene.standIn.faults.set({ deliveries: 2 });
      await append(scene, 'watched-1', ANY, [crypto.randomUUID(), crypto.randomUUID()]);
      const watched = new Watched(scene);
      await watched.sees('caughtUp');
      expect(watched.events).toEqual(['watched-1@0', 'watched-1@0', 'watched-1@1', 'watched-1@1']);
      await watched.subscription.unsubscribe();
    }),
  );

  test.each([
    ['prepare-zero', ({ prepare }: { prepare: bigint }) => prepare === 0n],
    ['greatest', ({ commit }: { commit: bigint }) => commit === 18_446_744_073_709_551_615n],
  ] as const)('gets checkpoints as older servers sent them: %s', (checkpoints, holds) =>
    onStandIn(async (scene) => {
      scene.standIn.faults.set({ checkpoints });
      const watched = new Watched(scene);
      await watched.sees('caughtUp');
      expect(watched.checkpoints).toHaveLength(1);
      expect(watched.checkpoints.every(holds)).toBe(true);
      await watched.subscription.unsubscribe();
    })(),
  );

  test(
    'gets the same checkpoint again and again, or none',
    onStandIn(async (scene) => {
      scene.standIn.faults.set({ checkpoints: 'repeated' });
      const repeated = new Watched(scene, 'start', 1);
      await repeated.sees('caughtUp');
      expect(repeated.checkpoints.length).toBeGreaterThan(1);
      expect(new Set(repeated.checkpoints.map(({ commit }) => commit)).size).toBe(1);

      scene.standIn.faults.set({ checkpoints: 'none' });
      const none = new Watched(scene, 'start', 1);
      await none.sees('caughtUp');
      expect(none.checkpoints).toEqual([]);
      await Promise.all([repeated.subscription.unsubscribe(), none.subscription.unsubscribe()]);
    }),
  );

  test(
    'is denied `$all`, where streams and appends are not',
    onStandIn(async (scene) => {
      scene.standIn.faults.set({ deny: 'all-stream' });
      const watched = new Watched(scene);
      await watched.sees('AccessDeniedError: 7 PERMISSION_DENIED: Access Denied');
      expect(await append(scene, 's')).toBe('stored at 0');
      expect(await read(scene, 's')).toHaveLength(1);
    }),
  );
});
