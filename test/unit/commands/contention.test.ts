/** After a conflict a command waits by chance, longer each time: writers that collided once do
 * not collide again. */
import { CommandFailedError } from '../../../src/commands/runtime/command-failed.js';
import { CommandRuntime } from '../../../src/commands/runtime/command-runtime.js';
import { MemoryEventLog } from '../../../src/testing/memory-event-log.js';
import { counted, countOn } from './counter.js';
import { FaultyLog } from './faulty-log.js';

/** What a command sleeps that meets nothing but conflicts. */
async function sleepsOf(random: () => number): Promise<number[]> {
  const log = new FaultyLog(new MemoryEventLog());
  let others = -1n;
  // Each time somebody else is a moment earlier.
  const overtake = async (): Promise<void> => {
    await log.inner.append('s', others < 0n ? 'no_stream' : others, [counted()]);
    others += 1n;
  };
  log.faults = Array.from({ length: 9 }, () => overtake);
  const sleeps: number[] = [];
  const timing = {
    now: () => 0,
    random,
    sleep: (ms: number) => {
      sleeps.push(ms);
      return Promise.resolve();
    },
  };
  const runtime = new CommandRuntime(log, { timing, conflictRetries: 8 });
  const outcome = runtime.transact(countOn(log, 's', 'k'));
  await expect(outcome).rejects.toMatchObject({ code: 'contended' });
  await expect(outcome).rejects.toBeInstanceOf(CommandFailedError);
  expect(log.appends).toBe(9);
  await log.close();
  return sleeps;
}

const LONGEST = [10, 20, 40, 80, 160, 200, 200, 200];

it.each([0, 0.25, 0.5, 0.875])('waits %s of the longest wait', async (part) => {
  expect(await sleepsOf(() => part)).toEqual(LONGEST.map((ms) => ms * part));
});

it('draws anew for each wait', async () => {
  const parts = [0.5, 0, 0.75, 0.25, 0.5, 0, 0.125, 0.75];
  const drawn = [...parts];
  expect(await sleepsOf(() => drawn.shift() ?? 0)).toEqual(
    LONGEST.map((ms, at) => ms * (parts[at] ?? 0)),
  );
});
