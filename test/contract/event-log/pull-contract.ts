/** What every event log owes to whoever pulls all streams of a prefix. */
import type { EventLog, EventPuller, StoredEvent } from '../../../src/events/log/event-log.js';
import { comparePositions, LOG_START } from '../../../src/events/log/position.js';
import { EXCLUSIVE, expectReached, type LogTraits } from './log-traits.js';
import {
  eventsOf,
  failure,
  ids,
  sample,
  sampleOfBytes,
  samples,
  untilCaughtUp,
} from './sample-events.js';

export function describePulls(log: () => EventLog, traits: LogTraits = EXCLUSIVE): void {
  const open: EventPuller[] = [];
  const pull = (prefix: string, options = {}): EventPuller => {
    const puller = log().pull({ prefix, after: LOG_START, ...options });
    open.push(puller);
    return puller;
  };
  afterEach(async () => {
    await Promise.all(open.splice(0).map((puller) => puller.close()));
  });

  describe('pull', () => {
    it('of an empty log is caught up with nothing', async () => {
      const batch = await pull('').next();
      expect(batch).toMatchObject({ events: [], caughtUp: true });
      expectReached(traits, batch?.checkpoint, LOG_START);
    });

    it('reads all streams of a prefix in the order of the log', async () => {
      const [a, b, c] = [sample(), sample(), sample()];
      await log().append('x-1', 'no_stream', [a]);
      await log().append('y-1', 'no_stream', samples(3));
      await log().append('x-2', 'no_stream', [b]);
      const { position } = await log().append('x-1', 0n, [c]);
      const batches = await untilCaughtUp(pull('x-'));
      expect(ids(eventsOf(batches))).toEqual(ids([a, b, c]));
      expectReached(traits, batches.at(-1)?.checkpoint, position);
      const positions = eventsOf(batches).map((event) => event.position);
      for (const [index, at] of positions.slice(1).entries()) {
        expect(comparePositions(at, positions[index] ?? LOG_START)).toBeGreaterThan(0);
      }
    });

    it.each(['a%', 'a_', "a'", 'a\\', 'ä', 'A', '['])('takes the prefix %j as it is', async (p) => {
      const event = sample();
      await log().append('ab', 'no_stream', samples(1));
      await log().append(`${p}c`, 'no_stream', [event]);
      expect(ids(eventsOf(await untilCaughtUp(pull(p))))).toEqual([event.id]);
    });

    it('wakes when something is appended, and then is caught up again', async () => {
      const puller = pull('s');
      await untilCaughtUp(puller);
      for (let round = 0n; round < 5n; round += 1n) {
        const next = puller.next();
        const [event] = [sample()];
        const expected = round === 0n ? 'no_stream' : round - 1n;
        const { position } = await log().append('s', expected, [event]);
        const batch = await next;
        expect(ids(batch?.events ?? [])).toEqual([event.id]);
        expect(batch?.caughtUp).toBe(true);
        expectReached(traits, batch?.checkpoint, position);
      }
    });

    it('moves its checkpoint over events of other prefixes (faults.md C 22, C 23)', async () => {
      await log().append('other', 'no_stream', samples(1_200));
      const puller = pull('s');
      const head = await log().head();
      const batches = await untilCaughtUp(puller);
      expect(eventsOf(batches)).toEqual([]);
      expectReached(traits, batches.at(-1)?.checkpoint, head);
      const next = puller.next();
      const { position } = await log().append('other', 1_199n, samples(1));
      let batch = await next;
      const isThere = (): boolean =>
        batch === undefined ||
        (batch.caughtUp && comparePositions(batch.checkpoint, position) >= 0);
      while (traits.shared && !isThere()) batch = await puller.next();
      expect(batch).toMatchObject({ events: [], caughtUp: true });
      expectReached(traits, batch?.checkpoint, position);
    });

    it('keeps to its bound in events', async () => {
      const events = samples(23);
      await log().append('s', 'no_stream', events);
      const batches = await untilCaughtUp(pull('s', { maxEvents: 5 }));
      expect(ids(eventsOf(batches))).toEqual(ids(events));
      for (const batch of batches) expect(batch.events.length).toBeLessThanOrEqual(5);
    });

    it('keeps to its bound in bytes, but for a single larger event', async () => {
      const events = [10_000, 4_000, 4_000, 4_000, 30_000, 100].map(sampleOfBytes);
      await log().append('s', 'no_stream', events);
      const batches = await untilCaughtUp(pull('s', { maxBytes: 9_000 }));
      const sizes = batches.map((batch) => batch.events.length).filter((size) => size > 0);
      expect(ids(eventsOf(batches))).toEqual(ids(events));
      if (!traits.eager) expect(sizes).toEqual([1, 2, 1, 1, 1]);
      for (const batch of batches) {
        const bytes = batch.events.reduce((sum, event) => sum + event.bytes, 0);
        expect(batch.events.length === 1 || bytes <= 9_000).toBe(true);
      }
    });

    it('goes on from any checkpoint and after any event, without gap or repeat', async () => {
      const events = samples(20);
      await log().append('s', 'no_stream', events.slice(0, 9));
      await log().append('other', 'no_stream', samples(4));
      await log().append('s', 8n, events.slice(9));
      const batches = await untilCaughtUp(pull('s', { maxEvents: 3 }));
      for (const { checkpoint } of batches) {
        const seen = eventsOf(batches).filter(
          (event) => comparePositions(event.position, checkpoint) <= 0,
        ).length;
        const rest = await untilCaughtUp(pull('s', { after: checkpoint }));
        expect(ids(eventsOf(rest))).toEqual(ids(events.slice(seen)));
      }
      for (const [index, event] of eventsOf(batches).entries()) {
        const rest = await untilCaughtUp(pull('s', { after: event.position }));
        expect(ids(eventsOf(rest))).toEqual(ids(events.slice(index + 1)));
      }
    });

    it('has no gap or repeat where stored and live events meet', async () => {
      const total = 3_000;
      const appended: string[] = [];
      const writing = (async () => {
        for (let at = 0; at < total; at += 10) {
          const events = samples(10);
          await log().append('s', at === 0 ? 'no_stream' : BigInt(at - 1), events);
          appended.push(...ids(events));
        }
      })();
      const follow = async (maxEvents: number): Promise<StoredEvent[]> => {
        const puller = pull('s', { maxEvents });
        const seen: StoredEvent[] = [];
        let checkpoint = LOG_START;
        while (seen.length < total) {
          const batch = await puller.next();
          if (batch === undefined) break;
          expect(comparePositions(batch.checkpoint, checkpoint)).toBeGreaterThanOrEqual(0);
          checkpoint = batch.checkpoint;
          seen.push(...batch.events);
        }
        return seen;
      };
      const seen = await Promise.all([follow(7), follow(500), follow(1)]);
      await writing;
      for (const events of seen) expect(ids(events)).toEqual(appended);
    });

    it('waits at the head for a position that lies beyond it', async () => {
      await log().append('s', 'no_stream', samples(1));
      const after = { commit: 2n ** 60n, prepare: 2n ** 60n };
      const batch = await pull('s', { after }).next();
      expect(batch).toEqual({ events: [], checkpoint: after, caughtUp: true });
    });

    it('lets timers run while it reads a long log', async () => {
      await log().append('s', 'no_stream', samples(2_000));
      let ticks = 0;
      const timer = setInterval(() => (ticks += 1), 1);
      const puller = pull('s', { maxEvents: 1 });
      await untilCaughtUp(puller);
      clearInterval(timer);
      expect(ticks).toBeGreaterThan(0);
    });

    it('ends a waiting next() when it is closed, and may be closed again', async () => {
      const puller = pull('s');
      await untilCaughtUp(puller);
      const next = puller.next();
      await puller.close();
      expect(await next).toBeUndefined();
      await puller.close();
      expect(await puller.next()).toBeUndefined();
    });

    it('ends when the log is closed', async () => {
      const [waiting, idle] = [pull('s'), pull('s')];
      await untilCaughtUp(waiting);
      const next = waiting.next();
      await log().close();
      expect(await next).toBeUndefined();
      expect(await waiting.next()).toBeUndefined();
      expect(await idle.next()).toBeUndefined();
    });

    it('shows nothing of an append that was refused', async () => {
      await log().append('s', 'no_stream', samples(1));
      const puller = pull('s');
      await untilCaughtUp(puller);
      expect(await failure(log().append('s', 5n, samples(1)))).toMatchObject({ code: 'conflict' });
      const event = sample();
      await log().append('s', 0n, [event]);
      expect(ids((await puller.next())?.events ?? [])).toEqual([event.id]);
    });
  });
}
