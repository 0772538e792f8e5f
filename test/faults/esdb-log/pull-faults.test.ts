/**
 * Pulls and the runner on them while the server ends, mutes, repeats or garbles subscriptions:
 * every event is handled once and in order, from one live subscription.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { appendAndSettle } from '../../../src/commands/runtime/settle-append.js';
import { realTiming } from '../../../src/commands/runtime/timing.js';
import { Runner } from '../../../src/projections/runtime/runner.js';
import type { Checkpoint } from '../../../src/projections/runtime/checkpoint.js';
import type { EventPuller, StoredEvent } from '../../../src/events/log/event-log.js';
import { comparePositions, LOG_START } from '../../../src/events/log/position.js';
import type { CallFailure } from '../../../src/testing/eventstore-stand-in/wire/statuses.js';
import {
  eventsOf,
  failure,
  ids,
  sampleOfBytes,
  samples,
  untilCaughtUp,
} from '../../contract/event-log/sample-events.js';
import { onStandIn } from './on-stand-in.js';

describe('pulls of the log on EventStoreDB', () => {
  const on = onStandIn();
  const pull = (options = {}): EventPuller =>
    on().log.pull({ prefix: 's', after: LOG_START, ...options });

  it('A6: a checkpoint never overtakes an event that waits', async () => {
    const { log } = on();
    const events = samples(200);
    await log.append('s', 'no_stream', events);
    const puller = pull({ maxEvents: 7 });
    const seen: StoredEvent[] = [];
    while (seen.length < events.length) {
      const batch = await puller.next();
      seen.push(...(batch?.events ?? []));
      // Crash here: what comes after the checkpoint is all that is missing.
      const after = batch?.checkpoint ?? LOG_START;
      const again = pull({ after });
      const rest = ids(eventsOf(await untilCaughtUp(again)));
      await again.close();
      expect([...ids(seen), ...rest]).toEqual(ids(events));
    }
    await puller.close();
  });

  it.each<[string, CallFailure | undefined]>([
    ['A8: the quiet end', undefined],
    ['A9: unavailable, no close', 'unavailable'],
    ['0a SIGTERM of a node', 'shutting-down'],
    ['0a SIGTERM of a member, an exception in a handler (E 25)', 'handler-exception'],
    ['an internal error (E 14)', 'internal'],
    ['a cancellation', 'cancelled'],
  ])('rejects on %s, and a new pull goes on from the checkpoint', async (_, how) => {
    const { server, log } = on();
    const events = samples(10);
    await log.append('s', 'no_stream', events.slice(0, 6));
    const puller = pull();
    const batches = await untilCaughtUp(puller);
    const next = failure(puller.next());
    server.endSubscriptions(how);
    expect(await next).toMatchObject({ code: 'unavailable' });
    expect(log.counters.lostSubscriptions).toBe(1);
    await puller.close();
    await log.append('s', 5n, events.slice(6));
    const again = pull({ after: batches.at(-1)?.checkpoint });
    expect(ids(eventsOf(await untilCaughtUp(again)))).toEqual(ids(events.slice(6)));
    await server.observed.until((seen) => seen.liveSubscriptions.length === 1);
    await again.close();
    await server.observed.until((seen) => seen.open('Streams/Read') === 0);
  });

  it.each(['prepare-zero', 'greatest', 'repeated', 'none'] as const)(
    'keeps its checkpoint in order with checkpoints that are %s (C 2, E 30)',
    async (checkpoints) => {
      const { server, log } = on();
      server.faults.set({ checkpoints });
      await log.append('other', 'no_stream', samples(100));
      await log.append('s', 'no_stream', samples(3));
      const puller = pull();
      let last = LOG_START;
      for (const batch of await untilCaughtUp(puller)) {
        expect(comparePositions(batch.checkpoint, last)).toBeGreaterThanOrEqual(0);
        last = batch.checkpoint;
      }
      expect(comparePositions(last, await log.head())).toBeLessThanOrEqual(0);
      await puller.close();
    },
  );

  it('0a repeated: shows an event once that is delivered three times', async () => {
    const { server, log } = on();
    server.faults.set({ deliveries: 3 });
    const events = samples(50);
    await log.append('s', 'no_stream', events);
    const puller = pull();
    expect(ids(eventsOf(await untilCaughtUp(puller)))).toEqual(ids(events));
    await puller.close();
  });

  it('E 43: passes over events that are gone, counts them, and does not stand still', async () => {
    const { server, log } = on();
    const events = samples(4);
    await log.append('s-a', 'no_stream', events.slice(0, 2));
    await log.append('s-gone', 'no_stream', samples(3));
    await log.append('s-b', 'no_stream', events.slice(2));
    await log.append('s-gone', 2n, samples(2));
    server.faults.set({ absentEvents: 's-gone' });
    const puller = pull();
    const batches = await untilCaughtUp(puller);
    expect(ids(eventsOf(batches))).toEqual(ids(events));
    expect(log.counters.absentEvents).toBe(5);
    expect(batches.at(-1)?.checkpoint).toEqual(await log.head());
    await puller.close();
  });

  it('asks anew, once, when the log has moved on and nothing was heard (C 23)', async () => {
    const { server, log } = on();
    await log.append('s', 'no_stream', samples(1));
    const puller = pull();
    await untilCaughtUp(puller);
    const before = server.observed.count('Streams/Read');
    server.faults.set({ muteSubscriptions: true });
    const next = puller.next();
    const [event] = samples(1);
    await log.append('s', 0n, event ? [event] : []);
    await server.observed.until((seen) => seen.count('Streams/Read') > before + 1);
    server.faults.set({ muteSubscriptions: false });
    expect(ids((await next)?.events ?? [])).toEqual(event ? [event.id] : []);
    await puller.close();
  });

  it('makes the server wait for a slow reader (C 45)', async () => {
    const { server, log } = on();
    const total = 300;
    for (let at = 0; at < total; at += 10) {
      const events = Array.from({ length: 10 }, () => sampleOfBytes(100_000));
      await log.append('s', at === 0 ? 'no_stream' : BigInt(at - 1), events);
    }
    const puller = pull({ maxBytes: 1_000_000 });
    let events = (await puller.next())?.events.length ?? 0;
    const sent = (): number => server.observed.liveSubscriptions[0]?.sent ?? 0;
    // What the two ends of the connection hold comes, and then no more: a server that nobody
    // makes wait has sent all long before this.
    const allSent = server.observed.until(() => sent() === total).then(() => 'all sent');
    const waits = delay(4_000, 'it waits', { ref: false });
    expect(await Promise.race([allSent, waits])).toBe('it waits');
    expect(sent()).toBeLessThan(200);
    // Who does not read holds nobody else up.
    expect((await log.append('other', 'no_stream', samples(1))).revision).toBe(0n);
    while (events < total) {
      const batch = await puller.next();
      const bytes = batch?.events.reduce((sum, event) => sum + event.bytes, 0) ?? 0;
      expect(bytes).toBeLessThanOrEqual(1_000_000);
      events += batch?.events.length ?? 0;
    }
    expect(events).toBe(total);
    await puller.close();
  }, 30_000);

  it('leaves no call open after a thousand pulls (C 41, C 42)', async () => {
    const { server, log } = on();
    await log.append('s', 'no_stream', samples(5));
    for (let time = 0; time < 1_000; time += 1) {
      const puller = pull();
      await puller.next();
      await puller.close();
    }
    await server.observed.until((seen) => seen.open('Streams/Read') === 0);
    expect((await log.append('s', 4n, samples(1))).revision).toBe(5n);
  }, 60_000);

  it('skips what a system writes, and its own bookkeeping', async () => {
    const { log } = on();
    const events = samples(3);
    await log.append('s', 'no_stream', events);
    await log.truncate('s', 1n);
    await log.logId();
    const puller = pull({ prefix: '' });
    expect(ids(eventsOf(await untilCaughtUp(puller)))).toEqual(ids(events));
    await puller.close();
  });

  it('A7, A8, A9: a runner handles all, once, through every end and its own failures', async () => {
    const { server, log } = on();
    const handled: string[] = [];
    let kept: Checkpoint | undefined;
    let fail = 2;
    const runner = new Runner(
      log,
      {
        name: 'test',
        prefix: 's',
        checkpoint: () => Promise.resolve(kept),
        commit: (events, checkpoint) => {
          fail -= 1;
          if (fail === 0) return Promise.reject(new Error('the checkpoint store failed'));
          kept = checkpoint;
          handled.push(...ids(events));
          server.observed.changed();
          return Promise.resolve();
        },
        reached: () => undefined,
      },
      { backoff: { baseMs: 5, maxMs: 50, random: () => 0.5 } },
    );
    runner.start();
    await runner.caughtUp();
    const events = samples(60);
    const ends: (CallFailure | undefined)[] = [undefined, 'unavailable', 'handler-exception'];
    for (let at = 0; at < 6; at += 1) {
      const expected = at === 0 ? 'no_stream' : BigInt(at * 10 - 1);
      const ten = events.slice(at * 10, at * 10 + 10);
      await appendAndSettle(log, { stream: 's', expected, events: ten }, realTiming, 10_000);
      if (at === 4) await server.restart();
      else server.endSubscriptions(ends[at % 3]);
    }
    await server.observed.until(() => handled.length >= events.length);
    expect(handled).toEqual(ids(events));
    await server.observed.until((seen) => seen.liveSubscriptions.length === 1);
    await runner.stop(5_000);
    await server.observed.until((seen) => seen.liveSubscriptions.length === 0);
  }, 30_000);
});
