/** What every event log owes to whoever appends. */
import { MAX_APPEND_BYTES, type EventLog } from '../../../src/events/log/event-log.js';
import { comparePositions } from '../../../src/events/log/position.js';
import { EXCLUSIVE, type LogTraits } from './log-traits.js';
import { all, failure, ids, sample, sampleOfBytes, samples } from './sample-events.js';

const FORWARDS = { direction: 'forwards', limit: 1_000 } as const;

export function describeAppends(log: () => EventLog, traits: LogTraits = EXCLUSIVE): void {
  describe('append', () => {
    it('0a own write: returns the revision and position of the last event', async () => {
      const first = await log().append('s', 'no_stream', samples(3));
      expect(first.revision).toBe(2n);
      const second = await log().append('s', 2n, samples(1));
      expect(second.revision).toBe(3n);
      expect(comparePositions(second.position, first.position)).toBeGreaterThan(0);
      const stored = await all(log().read('s', FORWARDS));
      expect(stored.map((event) => event.revision)).toEqual([0n, 1n, 2n, 3n]);
      expect(stored[2]?.position).toEqual(first.position);
      expect(stored[3]?.position).toEqual(second.position);
    });

    it('keeps each part of an event', async () => {
      const data = { text: 'Grüße 👋\n\t"\\\u0000 \u2028', list: [1, null, { deep: true }] };
      const event = { ...sample(data, 'todo/write'), metadata: { actor: { kind: 'agent' } } };
      const before = Date.now();
      await log().append('s', 'no_stream', [event]);
      const [stored] = await all(log().read('s', FORWARDS));
      expect(stored?.stream).toBe('s');
      expect(stored?.id).toBe(event.id);
      expect(stored?.type).toBe('todo/write');
      expect(stored?.data).toEqual(data);
      expect(stored?.metadata).toEqual(event.metadata);
      expect(stored?.bytes).toBeGreaterThan(0);
      expect(Math.abs((stored?.created.getTime() ?? 0) - before)).toBeLessThan(60_000);
    });

    it.each([
      { exists: 0, expected: 0n, actual: null },
      { exists: 1, expected: 'no_stream' as const, actual: 0n },
      { exists: 3, expected: 1n, actual: 2n },
      { exists: 3, expected: 7n, actual: 2n },
      { exists: 1, expected: 2n ** 60n, actual: 0n },
    ])('is a conflict: $exists events, expected $expected', async (row) => {
      if (row.exists > 0) await log().append('s', 'no_stream', samples(row.exists));
      const error = await failure(log().append('s', row.expected, samples(2)));
      expect(error).toMatchObject({ code: 'conflict', stream: 's', actualRevision: row.actual });
      expect(await all(log().read('s', FORWARDS))).toHaveLength(row.exists);
    });

    it('C 17: lets exactly one of many concurrent writers win', async () => {
      await log().append('s', 'no_stream', samples(1));
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, () => log().append('s', 0n, samples(2))),
      );
      const won = outcomes.filter((outcome) => outcome.status === 'fulfilled');
      expect(won).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected')
          expect(outcome.reason).toMatchObject({ code: 'conflict' });
      }
      // No hole either.
      const revisions = (await all(log().read('s', FORWARDS))).map((event) => event.revision);
      expect(revisions).toEqual([0n, 1n, 2n]);
    });

    it('orders appends made at once without waiting', async () => {
      const appends = Array.from({ length: 50 }, (_, index) =>
        log().append('s', index === 0 ? 'no_stream' : BigInt(index - 1), samples(1)),
      );
      const results = await Promise.all(appends);
      expect(results.map((result) => result.revision)).toEqual(results.map((_, i) => BigInt(i)));
    });
  });

  describe('the same append again', () => {
    it('is done, with the first result, also after later appends', async () => {
      const events = samples(2);
      await log().append('s', 'no_stream', samples(1));
      const first = await log().append('s', 0n, events);
      expect(await log().append('s', 0n, events)).toEqual(first);
      await log().append('s', 2n, samples(3));
      expect(await log().append('s', 0n, events)).toEqual(first);
      expect(await all(log().read('s', FORWARDS))).toHaveLength(6);
    });

    it('is done when both are under way', async () => {
      const events = samples(2);
      const [one, two] = await Promise.all([
        log().append('s', 'no_stream', events),
        log().append('s', 'no_stream', events),
      ]);
      expect(two).toEqual(one);
      expect(await all(log().read('s', FORWARDS))).toHaveLength(2);
    });

    it('is a conflict with other ids, also when one is known', async () => {
      const [a, b] = [sample(), sample()];
      await log().append('s', 'no_stream', [a, b]);
      for (const events of [
        [a, sample()],
        [sample(), b],
        [b, a],
        [a, b, sample()],
      ]) {
        const error = await failure(log().append('s', 'no_stream', events));
        expect(error).toMatchObject({ code: 'conflict', actualRevision: 1n });
      }
      expect(ids(await all(log().read('s', FORWARDS)))).toEqual([a.id, b.id]);
    });

    it('is done for the head of what was written then', async () => {
      const [a, b] = [sample(), sample()];
      await log().append('s', 'no_stream', [a, b]);
      expect(await log().append('s', 'no_stream', [a])).toMatchObject({ revision: 0n });
    });

    it('is a new write at the head, though the id is known', async () => {
      const event = sample();
      await log().append('s', 'no_stream', [event]);
      expect((await log().append('s', 0n, [event])).revision).toBe(1n);
    });

    it('is a conflict in another stream that has moved on', async () => {
      const event = sample();
      await log().append('s', 'no_stream', [event]);
      await log().append('t', 'no_stream', samples(1));
      expect(await failure(log().append('t', 'no_stream', [event]))).toMatchObject({
        code: 'conflict',
      });
    });
  });

  describe('what cannot be appended', () => {
    it('0a size: takes exactly the limit and refuses one byte more', async () => {
      const most = MAX_APPEND_BYTES - traits.uncountedBytes;
      await log().append('s', 'no_stream', [sampleOfBytes(most)]);
      await log().append('t', 'no_stream', [sampleOfBytes(most / 2), sampleOfBytes(most / 2)]);
      const half = MAX_APPEND_BYTES / 2;
      const over = [sampleOfBytes(half), sampleOfBytes(half + 1)];
      expect(await failure(log().append('u', 'no_stream', over))).toMatchObject({
        code: 'too_large',
        bytes: MAX_APPEND_BYTES + 1,
        limit: MAX_APPEND_BYTES,
      });
      expect(await all(log().read('u', FORWARDS))).toEqual([]);
      const [stored] = await all(log().read('s', FORWARDS));
      expect(JSON.stringify(stored?.data).length).toBeGreaterThan(most - 100);
    });

    it('counts bytes, not characters', async () => {
      const text = '👋'.repeat(MAX_APPEND_BYTES / 4);
      const error = await failure(log().append('s', 'no_stream', [sample({ text })]));
      expect(error).toMatchObject({ code: 'too_large' });
    });

    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    const twice = sample();
    it.each([
      ['no event', []],
      ['a bigint (faults.md A1)', [sample({ n: 1n })]],
      ['a cycle', [sample(cycle)]],
      ['undefined', [{ ...sample(), data: undefined as never }]],
      ['a function', [{ ...sample(), data: (() => 1) as never }]],
      ['a list', [{ ...sample(), metadata: [] as never }]],
      ['an id that is no UUID', [{ ...sample(), id: 'x' }]],
      ['no type', [sample({}, '')]],
      ['half a character as type', [sample({}, '\ud800')]],
      ['one event twice', [twice, twice]],
    ])('refuses %s, and goes on', async (_, events) => {
      const error = await failure(log().append('s', 'no_stream', events));
      expect(error).toMatchObject({ code: 'invalid_event' });
      expect((await log().append('s', 'no_stream', samples(1))).revision).toBe(0n);
    });

    it.each(['', 'half \udc00', 'nul \0'])('refuses %j as the name of a stream', async (name) => {
      const error = await failure(log().append(name, 'no_stream', samples(1)));
      expect(error).toMatchObject({ code: 'invalid_event' });
    });
  });
}
