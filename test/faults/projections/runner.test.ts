/** The runner among failing logs and failing consumers. */
import { UnavailableError } from '../../../src/events/log/errors.js';
import { positionOf, type Position } from '../../../src/events/log/position.js';
import { startOf } from '../../../src/projections/runtime/checkpoint.js';
import type { RunnerOptions } from '../../../src/projections/runtime/consumer.js';
import { Runner } from '../../../src/projections/runtime/runner.js';
import { ManualClock } from '../../unit/projections/manual-clock.js';
import { foreign } from '../../unit/projections/session-scenario.js';
import { FaultyLog, tell, until } from './faulty-log.js';
import { RecordingConsumer } from './recording-consumer.js';

const FAST = { baseMs: 1, maxMs: 4, random: () => 1 };
const gone = new UnavailableError('unreachable', 'the server is gone');

let log: FaultyLog;
let consumer: RecordingConsumer;
let runner: Runner;
let reports: string[];

function make(options: RunnerOptions = {}): Runner {
  const report = (message: string): void => void reports.push(message);
  runner = new Runner(log, consumer, { backoff: FAST, report, ...options });
  return runner;
}

function status() {
  return runner.status(undefined);
}

function isAt(position: Position): boolean {
  return consumer.position?.commit === position.commit;
}

beforeEach(() => {
  log = new FaultyLog();
  consumer = new RecordingConsumer();
  reports = [];
  make();
});

afterEach(async () => {
  await runner.stop(0);
  await log.close();
});

it('catches up, goes live and follows', async () => {
  await tell(log, 'agentSession-default.a', foreign, foreign);
  runner.start();
  await runner.caughtUp();
  expect(status()).toMatchObject({ state: 'live', secondsBehind: 0, problem: null });
  const position = await tell(log, 'agentSession-default.a', foreign);
  await until(() => isAt(position));
  expect(consumer.handled).toEqual(['a0', 'a1', 'a2']);
  expect(runner.status(position)).toMatchObject({ distance: '0', resubscriptions: 0 });
});

it('never pulls ahead of what is committed (faults.md B7)', async () => {
  await tell(log, 'agentSession-default.a', ...Array.from({ length: 50 }, () => foreign));
  let most = 0;
  consumer.before = async () => {
    most = Math.max(most, log.pulled - consumer.handled.length);
    await new Promise(setImmediate);
  };
  make({ maxEvents: 5 }).start();
  await runner.caughtUp();
  expect(consumer.handled).toHaveLength(50);
  expect(most).toBe(5);
});

it('advances for what it is not interested in, so that waiters do not hang (faults.md C 23)', async () => {
  runner.start();
  await runner.caughtUp();
  const position = await tell(log, 'other-stream', foreign);
  await until(() => isAt(position));
  expect(consumer.handled).toEqual([]);
});

it.each([
  ['fails', gone],
  ['ends without a word (faults.md A8)', 'end' as const],
])('opens another pull from the checkpoint when one %s', async (_, fault) => {
  await tell(log, 'agentSession-default.a', foreign);
  const faults = new Set([2, 3, 4]);
  log.onNext = (call) => (faults.has(call) ? fault : 'pass');
  runner.start();
  await until(() => status().resubscriptions === 3);
  await tell(log, 'agentSession-default.a', foreign);
  await until(() => consumer.handled.length === 2);
  expect(consumer.handled).toEqual(['a0', 'a1']);
  expect(log.mostLive).toBe(1);
  expect(log.after.map(({ commit }) => commit)).toEqual([0n, 1n, 1n, 1n]);
  // Each loss is reported, not only the first (faults.md C 46).
  expect(reports).toHaveLength(3);
});

it('says what hinders it, and waits longer each time, with jitter', async () => {
  const clock = new ManualClock();
  log.onNext = () => gone;
  make({ clock, backoff: { baseMs: 100, maxMs: 1_000, random: () => 0 } }).start();
  const waits: (number | undefined)[] = [];
  for (let failures = 1; failures <= 6; failures += 1) {
    await until(() => status().resubscriptions === failures);
    waits.push(clock.nextIn);
    expect(status()).toMatchObject({ state: 'catching-up', problem: gone.message });
    clock.advance(clock.nextIn ?? 0);
  }
  expect(waits).toEqual([50, 100, 200, 400, 500, 500]);
});

it('tries a batch again when its commit throws (faults.md A7)', async () => {
  await tell(log, 'agentSession-default.a', foreign, foreign);
  let failures = 2;
  consumer.before = () => {
    if (failures-- > 0) throw new Error('disk full');
  };
  runner.start();
  await runner.caughtUp();
  expect(consumer.handled).toEqual(['a0', 'a1']);
  expect(status()).toMatchObject({ resubscriptions: 2, state: 'live', problem: null });
  expect(log.mostLive).toBe(1);
});

it('handles a batch that comes twice once', async () => {
  await tell(log, 'agentSession-default.a', foreign, foreign);
  let failures = 1;
  const commit = consumer.commit.bind(consumer);
  consumer.commit = async (events, checkpoint) => {
    await commit(events, checkpoint);
    // Done, but the answer is lost.
    if (failures-- > 0) throw new Error('connection lost');
  };
  runner.start();
  await runner.caughtUp();
  expect(consumer.handled).toEqual(['a0', 'a1']);
});

describe('the watchdog', () => {
  it('opens another pull when the log moves and nothing is heard, once for each move', async () => {
    const clock = new ManualClock();
    let silent = true;
    log.onNext = (call) => (call > 1 && silent ? 'silent' : 'pass');
    make({ clock, silenceMs: 30_000 }).start();
    await runner.caughtUp();
    const tick = async (): Promise<void> => {
      clock.advance(10_000);
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    };
    for (let count = 0; count < 6; count += 1) await tick();
    expect(status().watchdogResubscriptions).toBe(0);
    await tell(log, 'agentSession-default.a', foreign);
    for (let count = 0; count < 12; count += 1) await tick();
    expect(status()).toMatchObject({
      watchdogResubscriptions: 1,
      resubscriptions: 0,
      state: 'live',
      problem: null,
    });
    silent = false;
    await tell(log, 'agentSession-default.a', foreign);
    for (let count = 0; count < 5; count += 1) await tick();
    await until(() => consumer.handled.length === 2);
    expect(status().watchdogResubscriptions).toBe(2);
    expect(log.mostLive).toBe(1);
    expect(reports).toEqual([]);
  });
});

describe('a checkpoint', () => {
  const stopped = async (): Promise<void> => {
    runner.start();
    await until(() => status().state === 'stopped');
    expect(log.pulls).toBe(0);
    expect(status().problem).toContain('restore or rebuild');
    await expect(runner.caughtUp()).rejects.toMatchObject({ code: 'checkpoint_mismatch' });
  };

  it('of another log stops it', async () => {
    consumer.stored = { ...startOf('another-log') };
    await stopped();
  });

  it('beyond the head stops it', async () => {
    consumer.stored = { ...startOf(await log.logId()), position: positionOf(9n) };
    await stopped();
  });

  it('whose event is another one stops it', async () => {
    await tell(log, 'agentSession-default.a', foreign, foreign);
    const event = { stream: 'agentSession-default.a', revision: 1n, id: 'not-this' };
    consumer.stored = { ...startOf(await log.logId()), position: positionOf(2n), event };
    await stopped();
  });

  it('whose event is gone proves nothing', async () => {
    await tell(log, 'agentSession-default.a', foreign, foreign);
    await log.truncate('agentSession-default.a', 1n);
    const event = { stream: 'agentSession-default.a', revision: 0n, id: 'gone' };
    consumer.stored = { ...startOf(await log.logId()), position: positionOf(1n), event };
    runner.start();
    await runner.caughtUp();
    expect(consumer.handled).toEqual(['a1']);
  });
});

describe('stopping', () => {
  it('while idle takes no time and leaves nothing open (faults.md B8)', async () => {
    runner.start();
    await runner.caughtUp();
    const started = Date.now();
    await runner.stop(10_000);
    expect(Date.now() - started).toBeLessThan(2_000);
    expect(log.live).toBe(0);
    expect(status().state).toBe('stopped');
  });

  it('while waiting to pull again takes no time', async () => {
    log.onNext = () => gone;
    make({ backoff: { baseMs: 60_000, maxMs: 60_000, random: () => 1 } }).start();
    await until(() => status().resubscriptions === 1);
    await runner.stop(10_000);
    expect(log.live).toBe(0);
  });

  it('finishes the batch in hand and goes on to the head (faults.md B6)', async () => {
    await tell(log, 'agentSession-default.a', ...Array.from({ length: 20 }, () => foreign));
    consumer.before = () => new Promise((resolve) => setImmediate(resolve));
    make({ maxEvents: 3 }).start();
    await until(() => consumer.handled.length > 0);
    await runner.stop(10_000);
    expect(consumer.handled).toHaveLength(20);
    expect(consumer.stored?.position.commit).toBe(20n);
  });

  it('gives up at the deadline, with the batch in hand committed or not at all', async () => {
    await tell(log, 'agentSession-default.a', ...Array.from({ length: 20 }, () => foreign));
    let release = (): void => undefined;
    consumer.before = () => new Promise((resolve) => (release = resolve));
    make({ maxEvents: 3 }).start();
    await until(() => log.pulled === 3);
    const stop = runner.stop(20);
    await until(() => log.live === 0);
    release();
    await stop;
    expect(consumer.handled).toEqual(['a0', 'a1', 'a2']);
    expect(consumer.stored?.position.commit).toBe(3n);
  });

  it('keeps the last checkpoint, also of a quiet time (faults.md C 19)', async () => {
    runner.start();
    await runner.caughtUp();
    let position = await tell(log, 'other-1', foreign);
    for (let count = 0; count < 5; count += 1) position = await tell(log, 'other-1', foreign);
    await until(() => isAt(position));
    expect(consumer.commits).toBeLessThan(4);
    await runner.stop(1_000);
    expect(consumer.stored?.position).toEqual(position);
  });

  it('before the start, and twice, is harmless', async () => {
    await runner.stop(0);
    runner.start();
    await runner.stop(0);
    expect(log.pulls).toBe(0);
  });

  it('leaves no timer', async () => {
    const clock = new ManualClock();
    make({ clock }).start();
    await runner.caughtUp();
    await runner.stop(1_000);
    expect(clock.pending).toBe(0);
  });
});

describe('on a busy log', () => {
  let clock: ManualClock;

  /** One event is handled, two more have come since and gather. */
  beforeEach(async () => {
    clock = new ManualClock();
    make({ clock, gatherMs: 5 }).start();
    await runner.caughtUp();
    const first = await tell(log, 'agentSession-default.a', foreign);
    await until(() => isAt(first) && clock.nextIn === 5);
    await tell(log, 'agentSession-default.a', foreign);
    await tell(log, 'agentSession-default.a', foreign);
    await new Promise(setImmediate);
    expect(consumer.handled).toEqual(['a0']);
  });

  it('commits together what comes soon after a commit', async () => {
    clock.advance(5);
    await until(() => consumer.handled.length === 3);
    expect(consumer.commits).toBe(2);
  });

  it('lets nobody wait for the rest of that time', async () => {
    runner.hurry();
    await until(() => consumer.handled.length === 3);
    consumer.awaited = true;
    const position = await tell(log, 'agentSession-default.a', foreign);
    // The time after the second commit had begun before anybody waited.
    runner.hurry();
    await until(() => isAt(position));
    const next = await tell(log, 'agentSession-default.a', foreign);
    await until(() => isAt(next));
    expect(consumer.commits).toBe(4);
  });

  it('stops at once, with all that has come', async () => {
    await runner.stop(1_000);
    expect(consumer.handled).toEqual(['a0', 'a1', 'a2']);
    expect(clock.pending).toBe(0);
  });

  it('is paused at once, and goes on with all that has come', async () => {
    await runner.pause();
    expect(consumer.handled).toEqual(['a0']);
    runner.resume();
    await until(() => consumer.handled.length === 3);
  });
});

it('at any point, and on again, handles each event once and in order (faults.md C 5, C 6, C 9)', async () => {
  const expected: string[] = [];
  for (let round = 0; round < 100; round += 1) {
    const told = Array.from({ length: 1 + (round % 7) }, () => foreign);
    told.forEach(() => expected.push(`a${expected.length}`));
    await tell(log, 'agentSession-default.a', ...told);
    make({ maxEvents: 1 + (round % 3) }).start();
    for (let turn = 0; turn < round % 11; turn += 1) await new Promise(setImmediate);
    await runner.stop(0);
  }
  make().start();
  await runner.caughtUp();
  expect(consumer.handled).toEqual(expected);
  expect(log.mostLive).toBe(1);
});
