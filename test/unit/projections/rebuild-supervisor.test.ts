/** Who starts a job again, and when that is given up. */
import type {
  GenerationRecord,
  GenerationState,
  ProjectionCatalog,
} from '../../../src/projections/read-model/projection-catalog.js';
import { ReadModelLockedError } from '../../../src/projections/read-model/read-model.js';
import {
  RebuildSupervisor,
  type RebuildJobs,
} from '../../../src/projections/runtime/generations/rebuild-jobs.js';
import { ManualClock } from './manual-clock.js';

let clock: ManualClock;
let record: GenerationRecord;
let runs: number;
let events: number;

beforeEach(() => {
  clock = new ManualClock();
  runs = 0;
  events = 0;
  record = {
    generation: 2,
    version: 1,
    state: 'building',
    startedAt: '2026-11-30T00:00:00.000Z',
    problem: null,
    epochBase: 0,
    changeBase: 0,
  };
});

function supervise(run: RebuildJobs['run']): RebuildSupervisor {
  const catalog: Pick<ProjectionCatalog, 'generation' | 'move'> = {
    generation: () => Promise.resolve(record),
    move: (_, from: readonly GenerationState[], to, problem) => {
      if (from.includes(record.state)) record = { ...record, state: to, problem: problem ?? null };
      return Promise.resolve(record);
    },
  };
  const jobs: RebuildJobs = {
    run: (...args) => {
      runs += 1;
      return run(...args);
    },
  };
  const supervisor = new RebuildSupervisor({
    jobs,
    catalog,
    clock,
    events: () => Promise.resolve(events),
    report: () => undefined,
  });
  supervisor.ensure('notes', record);
  return supervisor;
}

/** Lets what is under way come to rest, then moves to the next timer. */
async function next(): Promise<void> {
  await new Promise(setImmediate);
  clock.advance(clock.nextIn ?? 0);
  await new Promise(setImmediate);
}

const dies: RebuildJobs['run'] = () => Promise.reject(new Error('out of memory'));

it('gives a job up that ends 5 times without progress, and says why', async () => {
  supervise(dies);
  for (let at = 0; at < 10; at += 1) await next();
  expect(runs).toBe(5);
  expect(record).toMatchObject({ state: 'failed' });
  expect(record.problem).toMatch(/5 times without progress: out of memory/);
});

it('starts a job again for as long as it gets on', async () => {
  supervise(() => {
    events += 1;
    return dies({ projection: 'notes', version: 1, generation: 2 }, new AbortController().signal);
  });
  for (let at = 0; at < 20; at += 1) await next();
  expect(runs).toBeGreaterThan(10);
  expect(record.state).toBe('building');
});

it('waits for as long as another job is at it, and goes on when that is gone', async () => {
  let locked = true;
  supervise(() => {
    if (locked) return Promise.reject(new ReadModelLockedError('notes.v1.g2'));
    record = { ...record, state: 'ready' };
    return Promise.resolve();
  });
  for (let at = 0; at < 20; at += 1) await next();
  expect(record.state).toBe('building');
  locked = false;
  await next();
  expect(record.state).toBe('ready');
  const then = runs;
  for (let at = 0; at < 3; at += 1) await next();
  expect(runs).toBe(then);
});

it('runs one job for a generation, however often it is asked for', async () => {
  const supervisor = supervise(() => new Promise(() => undefined));
  supervisor.ensure('notes', record);
  await next();
  expect(runs).toBe(1);
});

it('does not count it as a failure that it was ended', async () => {
  const supervisor = supervise(
    (_, signal) =>
      new Promise((_resolve, reject) => {
        if (runs < 5) reject(new Error('out of memory'));
        signal.addEventListener('abort', () => {
          reject(new Error('killed'));
        });
      }),
  );
  for (let at = 0; at < 4; at += 1) await next();
  expect(runs).toBe(5);
  await supervisor.stop();
  expect(record.state).toBe('building');
});
