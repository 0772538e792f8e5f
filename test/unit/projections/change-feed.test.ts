/** Listeners: each hears its key, in order, whatever the others do. */
import type { RowEntry } from '../../../src/projections/read-model/read-model.js';
import { ChangeFeed } from '../../../src/projections/runtime/change-feed.js';

function entry(key: string, change: number): RowEntry<number> {
  return { key, row: change, epoch: 0, parked: undefined, change };
}

function make(): { feed: ChangeFeed<number>; errors: unknown[] } {
  const errors: unknown[] = [];
  return { feed: new ChangeFeed<number>((error) => errors.push(error)), errors };
}

it('tells the followers of the key, and no others', () => {
  const { feed } = make();
  const heard: number[] = [];
  feed.subscribe('a', ({ change }) => heard.push(change));
  for (const one of [entry('a', 1), entry('b', 2), entry('a', 3)]) feed.publish(one);
  expect(heard).toEqual([1, 3]);
});

it('a listener that throws is reported and affects nobody', () => {
  const { feed, errors } = make();
  const heard: number[] = [];
  feed.subscribe('a', () => {
    throw new Error('broken listener');
  });
  feed.subscribe('a', ({ change }) => heard.push(change));
  feed.publish(entry('a', 1));
  feed.publish(entry('a', 2));
  expect(heard).toEqual([1, 2]);
  expect(errors).toHaveLength(2);
});

it('forgets a key when its last follower leaves; leaving twice is harmless', () => {
  const { feed } = make();
  const same = (): void => undefined;
  const leave = [feed.subscribe('a', same), feed.subscribe('a', same)];
  leave[0]?.();
  leave[0]?.();
  expect(feed.follows('a')).toBe(true);
  leave[1]?.();
  expect(feed.follows('a')).toBe(false);
  feed.subscribe('a', same);
  leave[1]?.();
  expect(feed.follows('a')).toBe(true);
});

it('who leaves or joins while being told changes the next round', () => {
  const { feed } = make();
  const heard: string[] = [];
  feed.subscribe('a', () => {
    heard.push('first');
    leaveSecond();
    feed.subscribe('a', () => heard.push('third'));
  });
  const leaveSecond = feed.subscribe('a', () => heard.push('second'));
  feed.publish(entry('a', 1));
  expect(heard).toEqual(['first']);
});

it('tells the followers of all keys', () => {
  const { feed } = make();
  const heard: string[] = [];
  const leave = feed.subscribeAll(({ key }) => heard.push(key));
  feed.publishToAll(entry('a', 1));
  feed.publishToAll(entry('b', 2));
  leave();
  feed.publishToAll(entry('c', 3));
  expect(heard).toEqual(['a', 'b']);
});
