/**
 * The stand-in's log by itself: positions, what metadata hides, deletion, and where scavenging
 * left a stream.
 */
import { randomUUID } from 'node:crypto';
import { EventStore } from '../../../src/testing/eventstore-stand-in/store/event-store.js';
import type { ProposedEvent } from '../../../src/testing/eventstore-stand-in/store/record.js';
import { readForwards } from '../../../src/testing/eventstore-stand-in/wire/read-ranges.js';

function event(data: unknown = {}, type = 'tested'): ProposedEvent {
  return {
    id: randomUUID(),
    type,
    contentType: 'application/json',
    data: Buffer.from(typeof data === 'string' ? data : JSON.stringify(data)),
    metadata: new Uint8Array(),
  };
}

function events(count: number): ProposedEvent[] {
  return Array.from({ length: count }, () => event());
}

function revisions(store: EventStore, stream: string): bigint[] | undefined {
  const view = store.view(stream);
  if (view === undefined) return undefined;
  const { log, firstVisible } = view;
  const read = readForwards(log, firstVisible, log.nextRevision - 1n, 100n);
  return [...read].map(({ revision }) => revision);
}

describe('positions', () => {
  test('are offsets in bytes: they rise, have gaps, and find their record', () => {
    const store = new EventStore();
    store.append('s', 'any', events(5));
    let before = -1n;
    for (const [index, { position }] of store.all.entries()) {
      expect(position).toBeGreaterThan(before);
      expect(store.indexOf(position)).toBe(index);
      expect(store.indexOf(position + 1n)).toBe(index + 1);
      before = position;
    }
    expect(store.end).toBeGreaterThan(before + 50n);
    expect(store.indexOf(store.end)).toBe(store.all.length);
  });

  test('of a fresh log begin with events of the system', () => {
    expect(new EventStore().all.every(({ stream }) => stream.startsWith('$'))).toBe(true);
  });
});

describe('metadata', () => {
  test.each([
    [{ $tb: 3 }, [3n, 4n]],
    [{ $tb: 9 }, []],
    [{ $maxCount: 2 }, [3n, 4n]],
    [{ $tb: 4, $maxCount: 2 }, [4n]],
    [{ $maxAge: 10 }, [4n]],
    [{ other: 1 }, [0n, 1n, 2n, 3n, 4n]],
    ['not JSON', [0n, 1n, 2n, 3n, 4n]],
  ])('%j leaves %p', (metadata, left) => {
    let now = 0;
    const store = new EventStore({ now: () => now });
    store.append('s', 'no_stream', events(4));
    now = 20_000;
    store.append('s', 'any', events(1));
    store.append('$$s', 'any', [event(metadata, '$metadata')]);
    now = 25_000;
    expect(revisions(store, 's')).toEqual(left);
  });

  test('has a stream of its own, of which the last event is seen', () => {
    const store = new EventStore();
    store.append('$$s', 'no_stream', [event({ $tb: 1 }, '$metadata')]);
    store.append('$$s', 0n, [event({ $tb: 2 }, '$metadata')]);
    expect(revisions(store, '$$s')).toEqual([1n]);
    expect(revisions(store, 's')).toBeUndefined();
  });
});

describe('deletion', () => {
  test('replaces the metadata, and the next append truncates instead', () => {
    const store = new EventStore();
    store.append('s', 'any', events(2));
    store.append('$$s', 'any', [event({ $maxCount: 1, own: 'x' }, '$metadata')]);
    store.delete('s', 'any');
    expect(revisions(store, 's')).toBeUndefined();
    store.append('s', 'no_stream', events(1));
    expect(revisions(store, 's')).toEqual([2n]);
    const metadata = Buffer.from(store.all.at(-1)?.data ?? []).toString();
    expect(metadata).toBe('{"$tb":2}');
  });

  test('undone by metadata keeps what that says', () => {
    const store = new EventStore();
    store.append('s', 'any', events(2));
    store.delete('s', 'any');
    store.append('$$s', 'any', [event({ own: 'x' }, '$metadata')]);
    expect(revisions(store, 's')).toEqual([]);
    const metadata = Buffer.from(store.all.at(-1)?.data ?? []).toString();
    expect(metadata).toBe('{"$tb":2,"own":"x"}');
  });

  test('for ever takes the metadata with it', () => {
    const store = new EventStore();
    store.append('s', 'any', events(1));
    expect(store.tombstone('s', 0n).kind).toBe('appended');
    expect(store.append('s', 'any', events(1)).kind).toBe('deleted');
    expect(store.append('$$s', 'any', events(1)).kind).toBe('deleted');
    expect(store.tombstone('s', 'any').kind).toBe('deleted');
  });
});

describe('a stream whose first events are gone', () => {
  test('goes on at its revision, beyond what a double can hold', () => {
    const store = new EventStore();
    const first = 2n ** 53n + 1n;
    store.startStreamAt('s', first);
    expect(store.append('s', 'no_stream', events(2))).toMatchObject({ revision: first + 1n });
    expect(revisions(store, 's')).toEqual([first, first + 1n]);
    expect(store.append('s', first + 1n, events(1))).toMatchObject({ revision: first + 2n });
  });
});

describe('a large log', () => {
  test('takes appends in constant time', () => {
    const store = new EventStore();
    const appending = (count: number) => {
      const before = performance.now();
      for (let n = 0; n < count; n += 1) store.append(`s${n % 1000}`, 'any', [event()]);
      return performance.now() - before;
    };
    appending(20_000);
    const early = appending(20_000);
    for (let n = 0; n < 5; n += 1) appending(20_000);
    // Leaves room for a busy machine; forgetting ids one by one from a map took 20 times as long.
    expect(appending(20_000)).toBeLessThan(4 * early + 500);
    expect(store.all).toHaveLength(160_000 + 3);
  });
});
