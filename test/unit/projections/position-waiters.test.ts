/** Waiting for a position: released in order, bounded, and never left hanging. */
import fc from 'fast-check';
import { positionOf } from '../../../src/events/log/position.js';
import { PositionWaiters } from '../../../src/projections/runtime/position-waiters.js';
import { ManualClock } from './manual-clock.js';

const at = (sequence: number) => positionOf(BigInt(sequence));

function make(): { clock: ManualClock; waiters: PositionWaiters } {
  const clock = new ManualClock();
  return { clock, waiters: new PositionWaiters(clock) };
}

it('answers at once what was reached already', async () => {
  const { waiters } = make();
  waiters.release(at(5));
  expect(await waiters.wait(at(5), 0)).toBe(true);
  expect(await waiters.wait(at(4), 1_000)).toBe(true);
  expect(await waiters.wait(at(6), 0)).toBe(false);
  expect(waiters.size).toBe(0);
});

it('answers as soon as the position is reached, and leaves no timer', async () => {
  const { clock, waiters } = make();
  const waiting = [waiters.wait(at(7), 1_000), waiters.wait(at(5), 1_000)];
  waiters.release(at(5));
  expect(await waiting[1]).toBe(true);
  expect(waiters.size).toBe(1);
  waiters.release(at(9));
  expect(await waiting[0]).toBe(true);
  expect(clock.pending).toBe(0);
});

it('answers false when the time is over', async () => {
  const { clock, waiters } = make();
  const waiting = waiters.wait(at(5), 1_000);
  clock.advance(1_000);
  expect(await waiting).toBe(false);
});

it('answers false when the signal aborts, before and during', async () => {
  const { clock, waiters } = make();
  const abort = new AbortController();
  const waiting = waiters.wait(at(5), 1_000, abort.signal);
  abort.abort();
  expect(await waiting).toBe(false);
  expect(await waiters.wait(at(5), 1_000, abort.signal)).toBe(false);
  expect(clock.pending).toBe(0);
});

it('is closed: every wait and every later one ends', async () => {
  const { clock, waiters } = make();
  const waiting = [waiters.wait(at(5), 1_000), waiters.wait(at(6), 1_000)];
  waiters.close();
  expect(await Promise.all(waiting)).toEqual([false, false]);
  expect(await waiters.wait(at(5), 1_000)).toBe(false);
  expect(clock.pending).toBe(0);
});

it('orders by commit, then by prepare (faults.md C 1)', async () => {
  const { waiters } = make();
  const waiting = waiters.wait({ commit: 5n, prepare: 4n }, 1_000);
  waiters.release({ commit: 5n, prepare: 3n });
  expect(waiters.size).toBe(1);
  waiters.release({ commit: 5n, prepare: 4n });
  expect(await waiting).toBe(true);
});

it('does not pile up those who gave up', () => {
  const { clock, waiters } = make();
  for (let round = 0; round < 100; round += 1) {
    for (let index = 0; index < 100; index += 1) void waiters.wait(at(1_000_000), 10);
    clock.advance(10);
  }
  expect(waiters.size).toBe(0);
  expect(waiters.held).toBeLessThan(1_000);
});

it('releases exactly those at or before the position, in any order of arrival', async () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ wait: fc.nat(50) }),
      fc.record({ release: fc.nat(50) }),
      fc.record({ abort: fc.nat(20) }),
    ),
    { maxLength: 60 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const { waiters } = make();
      let reached = -1;
      const open: {
        position: number;
        abort: AbortController;
        answer: Promise<boolean>;
        expected?: boolean;
      }[] = [];
      for (const step of script) {
        if ('wait' in step) {
          const abort = new AbortController();
          const answer = waiters.wait(at(step.wait), 1_000, abort.signal);
          open.push({
            position: step.wait,
            abort,
            answer,
            ...(step.wait <= reached ? { expected: true } : {}),
          });
        } else if ('release' in step) {
          reached = Math.max(reached, step.release);
          waiters.release(at(reached));
          for (const one of open) if (one.position <= reached) one.expected ??= true;
        } else {
          const one = open[step.abort];
          if (!one) continue;
          one.abort.abort();
          one.expected ??= false;
        }
      }
      expect(waiters.size).toBe(open.filter(({ expected }) => expected === undefined).length);
      waiters.close();
      for (const one of open) expect(await one.answer).toBe(one.expected ?? false);
    }),
  );
});
