/** A runner that is paused: nothing is committed, nothing is lost, and it can always be stopped. */
import { UnavailableError } from '../../../src/events/log/errors.js';
import { positionOf } from '../../../src/events/log/position.js';
import { startOf } from '../../../src/projections/runtime/checkpoint.js';
import type { RunnerOptions } from '../../../src/projections/runtime/consumer.js';
import { Runner } from '../../../src/projections/runtime/runner.js';
import { ManualClock } from '../../unit/projections/manual-clock.js';
import { foreign } from '../../unit/projections/session-scenario.js';
import { FaultyLog, tell, until } from './faulty-log.js';
import { RecordingConsumer } from './recording-consumer.js';

const STREAM = 'agentSession-default.a';
const gone = new UnavailableError('unreachable', 'the server is gone');

let log: FaultyLog;
let consumer: RecordingConsumer;
let runner: Runner;

function make(options: RunnerOptions = {}): Runner {
  runner = new Runner(log, consumer, {
    backoff: { baseMs: 1, maxMs: 4, random: () => 1 },
    ...options,
  });
  return runner;
}

function status() {
  return runner.status(undefined);
}

/** Lets everything that could still happen happen. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
}

beforeEach(() => {
  log = new FaultyLog();
  consumer = new RecordingConsumer();
  make();
});

afterEach(async () => {
  await runner.stop(0);
  await log.close();
});

it('closes its pull, handles nothing, and goes on where it was', async () => {
  await tell(log, STREAM, foreign);
  runner.start();
  await runner.caughtUp();
  await runner.pause();
  expect(log.live).toBe(0);
  expect(status()).toMatchObject({ state: 'paused', problem: null, resubscriptions: 0 });
  await tell(log, STREAM, foreign, foreign);
  await settle();
  expect(consumer.handled).toEqual(['a0']);
  runner.resume();
  await until(() => consumer.handled.length === 3);
  expect(consumer.handled).toEqual(['a0', 'a1', 'a2']);
  expect(status()).toMatchObject({ state: 'live', secondsBehind: 0, resubscriptions: 0 });
  expect(log.mostLive).toBe(1);
});

it('is paused only when the batch in hand is committed, and no further one', async () => {
  await tell(log, STREAM, ...Array.from({ length: 9 }, () => foreign));
  let release = (): void => undefined;
  consumer.before = () => new Promise((resolve) => (release = resolve));
  make({ maxEvents: 3 }).start();
  await until(() => log.pulled === 3);
  let paused = false;
  const pausing = runner.pause().then(() => (paused = true));
  await settle();
  expect(paused).toBe(false);
  release();
  await pausing;
  await settle();
  expect(consumer.handled).toEqual(['a0', 'a1', 'a2']);
});

it('grows old while it is paused, by the clock', async () => {
  const clock = new ManualClock();
  make({ clock }).start();
  await runner.caughtUp();
  clock.advance(60_000);
  await runner.pause();
  expect(status()).toMatchObject({ state: 'paused', secondsBehind: 0 });
  clock.advance(7_000);
  expect(status()).toMatchObject({ state: 'paused', secondsBehind: 7 });
});

it('starts paused where it was paused before, knows where it stands, and goes on from there', async () => {
  await tell(log, STREAM, foreign, foreign);
  const event = { stream: STREAM, revision: 0n, id: 'gone' };
  await log.truncate(STREAM, 1n);
  consumer.stored = { ...startOf(await log.logId()), position: positionOf(1n), event };
  await runner.pause();
  runner.start();
  await until(() => consumer.position !== undefined);
  await settle();
  expect(log.pulls).toBe(0);
  expect(consumer.position).toEqual(positionOf(1n));
  expect(runner.status(positionOf(2n))).toMatchObject({ state: 'paused', distance: '1' });
  runner.resume();
  await until(() => consumer.handled.length === 1);
  expect(consumer.handled).toEqual(['a1']);
});

it('refuses a foreign log also when it is paused', async () => {
  consumer.stored = startOf('another-log');
  await runner.pause();
  runner.start();
  await until(() => status().state === 'stopped');
  expect(status().problem).toContain('restore or rebuild');
  runner.resume();
  await settle();
  expect(status().state).toBe('stopped');
  expect(log.pulls).toBe(0);
});

it('takes no time where it waits to pull again, and counts no failure while it is paused', async () => {
  log.onNext = () => gone;
  make({ backoff: { baseMs: 60_000, maxMs: 60_000, random: () => 1 } }).start();
  await until(() => status().resubscriptions === 1);
  await runner.pause();
  await settle();
  expect(status()).toMatchObject({ state: 'paused', resubscriptions: 1 });
  log.onNext = () => 'pass';
  runner.resume();
  await runner.caughtUp();
});

it('is no silence that the watchdog hears', async () => {
  const clock = new ManualClock();
  make({ clock, silenceMs: 30_000 }).start();
  await runner.caughtUp();
  await runner.pause();
  await tell(log, STREAM, foreign);
  for (let count = 0; count < 12; count += 1) {
    clock.advance(10_000);
    await settle();
  }
  expect(status()).toMatchObject({ state: 'paused', watchdogResubscriptions: 0 });
  expect(log.pulls).toBe(1);
});

it('stops at once, without the events that it was not to handle', async () => {
  runner.start();
  await runner.caughtUp();
  await runner.pause();
  await tell(log, STREAM, foreign);
  const began = Date.now();
  await runner.stop(10_000);
  expect(Date.now() - began).toBeLessThan(2_000);
  expect(status().state).toBe('stopped');
  expect(consumer.handled).toEqual([]);
});

it('may be asked twice, and the other way round before it is done', async () => {
  await tell(log, STREAM, foreign);
  runner.start();
  await runner.caughtUp();
  await Promise.all([runner.pause(), runner.pause()]);
  await runner.pause();
  expect(status().state).toBe('paused');
  runner.resume();
  runner.resume();
  const pausing = runner.pause();
  runner.resume();
  await pausing;
  await tell(log, STREAM, foreign);
  await until(() => consumer.handled.length === 2);
  expect(status()).toMatchObject({ state: 'live', resubscriptions: 0 });
});

it('at any point and on again, handles each event once and in order', async () => {
  const expected: string[] = [];
  make({ maxEvents: 2 }).start();
  for (let round = 0; round < 100; round += 1) {
    const told = Array.from({ length: round % 5 }, () => foreign);
    told.forEach(() => expected.push(`a${expected.length}`));
    if (told.length > 0) await tell(log, STREAM, ...told);
    for (let turn = 0; turn < round % 11; turn += 1) await new Promise(setImmediate);
    const pausing = runner.pause();
    if (round % 3 > 0) await pausing;
    runner.resume();
  }
  await until(() => consumer.handled.length === expected.length);
  expect(consumer.handled).toEqual(expected);
  expect(log.mostLive).toBe(1);
  expect(status()).toMatchObject({ resubscriptions: 0, problem: null });
});
