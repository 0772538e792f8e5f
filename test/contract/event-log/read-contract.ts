/** What every event log owes to whoever reads a stream, truncates one or asks for its head. */
import type { EventLog } from '../../../src/events/log/event-log.js';
import { comparePositions, LOG_START } from '../../../src/events/log/position.js';
import { EXCLUSIVE, expectReached, type LogTraits } from './log-traits.js';
import { all, eventsOf, failure, ids, sample, samples, untilCaughtUp } from './sample-events.js';

const FORWARDS = { direction: 'forwards', limit: 5_000 } as const;
const BACKWARDS = { direction: 'backwards', limit: 5_000 } as const;

export function describeReads(log: () => EventLog, traits: LogTraits = EXCLUSIVE): void {
  describe('read', () => {
    const revisions = async (
      direction: 'forwards' | 'backwards',
      from: bigint | undefined,
      limit: number,
    ): Promise<number[]> => {
      const options = { direction, limit, ...(from === undefined ? {} : { from }) };
      return (await all(log().read('s', options))).map((event) => Number(event.revision));
    };

    it.each([
      ['forwards', undefined, 9, [0, 1, 2, 3, 4]],
      ['forwards', undefined, 2, [0, 1]],
      ['forwards', 3n, 9, [3, 4]],
      ['forwards', -1n, 1, [0]],
      ['forwards', 5n, 9, []],
      ['forwards', 2n ** 70n, 9, []],
      ['forwards', 0n, 0, []],
      ['backwards', undefined, 9, [4, 3, 2, 1, 0]],
      ['backwards', undefined, 2, [4, 3]],
      ['backwards', 1n, 9, [1, 0]],
      ['backwards', 99n, 1, [4]],
      ['backwards', 2n ** 70n, 1, [4]],
      ['backwards', -1n, 9, []],
    ] as const)('%s from %s, %d at most: %j', async (direction, from, limit, expected) => {
      await log().append('s', 'no_stream', samples(5));
      expect(await revisions(direction, from, limit)).toEqual(expected);
    });

    it('yields nothing for a stream that does not exist', async () => {
      expect(await all(log().read('nowhere', FORWARDS))).toEqual([]);
      expect(await all(log().read('nowhere', BACKWARDS))).toEqual([]);
    });

    it('reads a stream of many pages in order, both ways', async () => {
      const events = samples(1_300);
      await log().append('s', 'no_stream', events.slice(0, 700));
      await log().append('s', 699n, events.slice(700));
      expect(ids(await all(log().read('s', FORWARDS)))).toEqual(ids(events));
      expect(ids(await all(log().read('s', BACKWARDS)))).toEqual(ids(events.toReversed()));
      expect(ids(await all(log().read('s', { ...FORWARDS, limit: 650 })))).toEqual(
        ids(events.slice(0, 650)),
      );
    });

    it('can be left in the middle, a thousand times (faults.md C 42)', async () => {
      await log().append('s', 'no_stream', samples(600));
      for (let time = 0; time < 1_000; time += 1) {
        for await (const event of log().read('s', BACKWARDS)) {
          expect(event.revision).toBe(599n);
          break;
        }
      }
      expect((await log().append('s', 599n, samples(1))).revision).toBe(600n);
    }, 60_000);

    it('touches the log only when the first event is asked for', async () => {
      const reading = log().read('s', FORWARDS);
      await log().append('s', 'no_stream', samples(2));
      expect(await all(reading)).toHaveLength(2);
    });

    it.each([
      ['spaces', 'with space'],
      ['quotes', "it's; DROP TABLE events;--"],
      ['line breaks', 'line\nbreak\ttab'],
      ['wildcards', 'per%cent_under'],
      ['Unicode', 'Ünïcödé 👩‍👩‍👧 日本'],
      ['1,000 characters', 'long'.repeat(250)],
      ['a name objects know', '__proto__'],
    ])('0a names: keeps a stream apart whose name has %s', async (_, name) => {
      await log().append('other', 'no_stream', samples(1));
      const event = sample();
      await log().append(name, 'no_stream', [event]);
      await log().append(`${name} `, 'no_stream', samples(1));
      const stored = await all(log().read(name, FORWARDS));
      expect(stored.map(({ id, stream }) => ({ id, stream }))).toEqual([
        { id: event.id, stream: name },
      ]);
    });
  });

  describe('truncate', () => {
    it('removes what lies before, for reads and pulls, and keeps revisions', async () => {
      const events = samples(5);
      await log().append('other', 'no_stream', samples(1));
      await log().append('s', 'no_stream', events);
      await log().truncate('s', 3n);
      const expected = ids(events.slice(3));
      expect(ids(await all(log().read('s', FORWARDS)))).toEqual(expected);
      expect(ids(await all(log().read('s', { ...FORWARDS, from: 0n })))).toEqual(expected);
      expect(await all(log().read('s', { ...BACKWARDS, from: 2n }))).toEqual([]);
      const puller = log().pull({ prefix: 's', after: LOG_START });
      const pulled = ids(eventsOf(await untilCaughtUp(puller)));
      expect(pulled).toEqual(traits.pullsTruncated ? ids(events) : expected);
      await puller.close();
      expect((await log().append('s', 4n, samples(1))).revision).toBe(5n);
      expect(await all(log().read('other', FORWARDS))).toHaveLength(1);
    });

    it('never removes the last event, and again changes nothing', async () => {
      const events = samples(3);
      const { position } = await log().append('s', 'no_stream', events);
      for (const before of [3n, 99n, 2n ** 70n, 3n, 0n, -5n]) await log().truncate('s', before);
      expect(ids(await all(log().read('s', FORWARDS)))).toEqual(ids(events.slice(2)));
      expectReached(traits, await log().head(), position);
      expect((await log().append('s', 2n, samples(1))).revision).toBe(3n);
    });

    it('does nothing to a stream that does not exist', async () => {
      await log().truncate('nowhere', 5n);
      expectReached(traits, await log().head(), LOG_START);
      expect((await log().append('nowhere', 'no_stream', samples(1))).revision).toBe(0n);
    });

    it('removes many events of a stream, while others are appended', async () => {
      await log().append('s', 'no_stream', samples(1_000));
      const truncating = log().truncate('s', 998n);
      await log().append('s', 999n, samples(2));
      await truncating;
      const revisions = (await all(log().read('s', FORWARDS))).map((event) => event.revision);
      expect(revisions).toEqual([998n, 999n, 1000n, 1001n]);
    });
  });

  describe('head and logId', () => {
    it('has its head at the start, then at the last event of any stream', async () => {
      expectReached(traits, await log().head(), LOG_START);
      const a = await log().append('a', 'no_stream', samples(2));
      expectReached(traits, await log().head(), a.position);
      const b = await log().append('b', 'no_stream', samples(1));
      expectReached(traits, await log().head(), b.position);
      expect(comparePositions(b.position, a.position)).toBeGreaterThan(0);
    });

    it('has one id', async () => {
      const id = await log().logId();
      expect(id).toMatch(/^[0-9a-f-]{36}$/);
      expect(await log().logId()).toBe(id);
    });
  });

  describe('a closed log', () => {
    it('refuses each call, and may be closed again', async () => {
      await log().append('s', 'no_stream', samples(1));
      await log().close();
      await log().close();
      const closed = { code: 'unavailable', reason: 'closed' };
      expect(await failure(log().append('s', 0n, samples(1)))).toMatchObject(closed);
      expect(await failure(all(log().read('s', FORWARDS)))).toMatchObject(closed);
      expect(await failure(log().truncate('s', 1n))).toMatchObject(closed);
      expect(await failure(log().head())).toMatchObject(closed);
      expect(await failure(log().logId())).toMatchObject(closed);
      const puller = log().pull({ prefix: '', after: LOG_START });
      expect(await failure(puller.next())).toMatchObject(closed);
    });

    it('settles what it had accepted', async () => {
      const appends = Array.from({ length: 100 }, (_, index) =>
        log().append(`s${index}`, 'no_stream', samples(1)),
      );
      await Promise.resolve();
      await log().close();
      expect(await Promise.all(appends)).toHaveLength(100);
    });
  });
}
