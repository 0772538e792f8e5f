/** Events of a busy log gather; one that comes alone, or is waited for, does not wait. */
import { Gathering } from '../../../src/projections/runtime/gathering.js';
import { ManualClock } from './manual-clock.js';

let clock: ManualClock;
let gathering: Gathering;

beforeEach(() => {
  clock = new ManualClock();
  gathering = new Gathering(clock, 5);
});

/** Whether the promise has settled by now. */
async function isOver(promise: Promise<void> | undefined): Promise<boolean> {
  let over = promise === undefined;
  void promise?.then(() => (over = true));
  await new Promise(setImmediate);
  return over;
}

it('waits for nothing before the first commit, and where none was lately', () => {
  expect(gathering.over()).toBeUndefined();
  gathering.begin();
  clock.advance(5);
  expect(gathering.over()).toBeUndefined();
});

it('is over so many milliseconds after the last commit', async () => {
  gathering.begin();
  clock.advance(2);
  const over = gathering.over();
  clock.advance(2);
  expect(await isOver(over)).toBe(false);
  clock.advance(1);
  expect(await isOver(over)).toBe(true);
  expect(clock.pending).toBe(0);
});

it('is over at once when somebody waits, and stays over until the next commit', async () => {
  gathering.begin();
  const over = gathering.over();
  gathering.end();
  expect(await isOver(over)).toBe(true);
  expect(clock.pending).toBe(0);
  expect(gathering.over()).toBeUndefined();
  gathering.begin();
  expect(await isOver(gathering.over())).toBe(false);
});

it('never gathers with no time to do so', () => {
  const never = new Gathering(clock, 0);
  never.begin();
  expect(never.over()).toBeUndefined();
});
