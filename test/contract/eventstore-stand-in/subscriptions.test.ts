/**
 * The rules of subscriptions that a projection builds on: where they resume, what lies at the
 * seam of stored and new events, and what checkpoints promise.
 */
import { randomUUID } from 'node:crypto';
import { ANY, START, type Position } from '@eventstore/db-client';
import { append, onStandIn, Watched, type Scene } from './stand-in-client.js';

function ids(count: number): string[] {
  return Array.from({ length: count }, () => randomUUID());
}

async function eventsAfter(scene: Scene, position: Position | typeof START): Promise<string[]> {
  const watched = new Watched(scene, position);
  await watched.sees('caughtUp');
  await watched.subscription.unsubscribe();
  return [...watched.events];
}

describe('resuming', () => {
  test(
    'is exclusive at every event, also inside one append',
    onStandIn(async (scene) => {
      await append(scene, 'watched-1', ANY, ids(3));
      await append(scene, 'foreign');
      await append(scene, 'watched-2', ANY, ids(2));
      const watched = new Watched(scene);
      await watched.sees('caughtUp');
      const whole = [...watched.events];
      expect(whole).toHaveLength(5);
      for (const [index, position] of watched.positions.entries()) {
        expect(await eventsAfter(scene, position)).toEqual(whole.slice(index + 1));
      }
      await watched.subscription.unsubscribe();
    }),
  );

  test(
    'from the checkpoint before "caught up" brings the very next event',
    onStandIn(async (scene) => {
      await append(scene, 'watched-1');
      const watched = new Watched(scene);
      await watched.sees('caughtUp');
      const [checkpoint] = watched.checkpoints;
      if (checkpoint === undefined) throw new Error('no checkpoint');
      expect(checkpoint.commit).toBe(scene.standIn.store.end);
      await append(scene, 'watched-2');
      expect(await eventsAfter(scene, checkpoint)).toEqual(['watched-2@0']);
      // The commit position alone would skip it.
      const { commit } = checkpoint;
      expect(await eventsAfter(scene, { commit, prepare: commit })).toEqual([]);
      await watched.subscription.unsubscribe();
    }),
  );
});

describe('the seam of stored and new events', () => {
  test(
    'has no gap and no repeat while others append',
    onStandIn(async (scene) => {
      const rounds = 40;
      const perRound = 25;
      await append(scene, 'watched-0', ANY, ids(perRound));
      const subscriptions: Watched[] = [];
      for (let round = 1; round < rounds; round += 1) {
        const appends = Array.from({ length: 4 }, (_, n) =>
          append(scene, n === 0 ? `watched-${round}` : `foreign-${n}`, ANY, ids(perRound)),
        );
        if (round % 8 === 0) subscriptions.push(new Watched(scene));
        await Promise.all(appends);
      }
      const expected = scene.standIn.store.all
        .filter(({ stream }) => stream.startsWith('watched-'))
        .map(({ stream, revision }) => `${stream}@${revision}`);
      expect(expected).toHaveLength(rounds * perRound);
      for (const watched of subscriptions) {
        await watched.until(({ events }) => events.length >= expected.length);
        expect(watched.events).toEqual(expected);
        await watched.subscription.unsubscribe();
      }
    }),
  );

  test(
    'comes again, unannounced, for a live reader that fell more than its buffer behind',
    onStandIn(async (scene) => {
      const { standIn } = scene;
      const watched = new Watched(scene);
      await watched.sees('caughtUp');
      standIn.faults.set({ muteSubscriptions: true });
      await append(scene, 'watched-1', ANY, ids(33));
      standIn.faults.clear();
      await watched.until(({ seen }) => seen.filter((one) => one === 'caughtUp').length === 2);
      expect(watched.events).toHaveLength(33);
      await watched.subscription.unsubscribe();
    }),
  );
});

describe('checkpoints', () => {
  test(
    'come at least once for 32 events of any stream, rise, and never pass a later match',
    onStandIn(async (scene) => {
      const watched = new Watched(scene);
      await watched.sees('caughtUp');
      const before = watched.checkpoints.length;
      for (let n = 0; n < 64; n += 1) await append(scene, 'foreign', ANY);
      await append(scene, 'watched-1');
      for (let n = 0; n < 64; n += 1) await append(scene, 'foreign', ANY);
      await watched.until(({ checkpoints }) => checkpoints.length >= before + 4);
      const commits = watched.checkpoints.map(({ commit }) => commit);
      expect(commits).toEqual([...commits].sort((a, b) => (a < b ? -1 : 1)));
      const [match] = watched.positions;
      const at = watched.seen.indexOf('watched-1@0');
      const passed = watched.seen.slice(0, at).filter((one) => one === 'checkpoint').length;
      for (const { commit, prepare } of watched.checkpoints.slice(0, passed)) {
        expect(commit < (match?.commit ?? 0n) || prepare < (match?.prepare ?? 0n)).toBe(true);
      }
      await watched.subscription.unsubscribe();
    }),
  );

  test(
    'count by the window that the reader asks for',
    onStandIn(async (scene) => {
      await append(scene, 'foreign', ANY, ids(30));
      const stored = scene.standIn.store.all.length;
      const watched = new Watched(scene, START, 10);
      await watched.sees('caughtUp');
      expect(watched.checkpoints).toHaveLength(Math.floor(stored / 10) + 1);
      await watched.subscription.unsubscribe();
    }),
  );
});
