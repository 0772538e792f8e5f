/** Building a generation: what ends it, what it passes over, and what is left as it was. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RebuildJobs } from '../../../src/projections/runtime/generations/rebuild-jobs.js';
import { rebuildGeneration } from '../../../src/projections/runtime/rebuild/rebuild-generation.js';
import { sessionTodosProjection } from '../../../src/projections/session-todos/session-todos.projection.js';
import { FaultyLog, tell } from '../../faults/projections/faulty-log.js';
import { foreign, start, turn, write, type Told } from '../../unit/projections/session-scenario.js';
import { eventually, GenerationsScenario } from './generations-scenario.js';

const unreadable: Told = { type: 'turn/start', data: {} };
const BAD = 'agentSession-default.bad';

let scene: GenerationsScenario;
let log: FaultyLog;

beforeEach(async () => {
  scene = new GenerationsScenario();
  log = new FaultyLog();
  scene.log = log;
  await scene.launch();
  await scene.host.caughtUp();
});
afterEach(() => scene.end());

/** A job of another process, as it were. */
function job(generation: number, signal?: AbortSignal) {
  const { readModels } = scene;
  const projection = sessionTodosProjection;
  return rebuildGeneration({ log, readModels, projection, generation, ...(signal && { signal }) });
}

function rowsFile(generation: number): string {
  return join(scene.directory, `session-todos.v1.g${generation}.db`);
}

/** Discards what stands at revision 1 of the bad session, behind the back of whoever builds. */
async function discardBehind(): Promise<void> {
  for await (const event of log.read(BAD, { direction: 'forwards', from: 1n, limit: 1 })) {
    await scene.generations.catalog.discard({
      key: 'default.bad',
      stream: BAD,
      revision: 1n,
      eventId: event.id,
      at: new Date().toISOString(),
    });
  }
}

describe('an event that cannot be folded', () => {
  beforeEach(async () => {
    await scene.told('s1', start, turn('t1'), write('t1', 'P:a'));
    await scene.told('bad', start, unreadable, turn('t2'));
  });

  it('ends a rebuild, which names it and why; what is served is untouched (faults.md C 33)', async () => {
    const before = [await scene.snapshot('s1'), await scene.snapshot('bad')];
    const { generation } = await scene.generations.rebuild(undefined);
    await scene.until(generation, 'failed');
    const { problem } = (await scene.generations.catalog.generation(generation)) ?? {};
    expect(problem).toMatch(
      /^revision 1 of agentSession-default\.bad cannot be folded: .*turn.*; discard the event/s,
    );
    await expect(scene.generations.promote(generation, undefined)).rejects.toMatchObject({
      code: 'generation_not_ready',
      message: expect.stringContaining('revision 1 of agentSession-default.bad') as unknown,
    });
    expect(await scene.states()).toEqual(['1 serving', '2 failed']);
    expect([await scene.snapshot('s1'), await scene.snapshot('bad')]).toEqual(before);
    // It is not started again, and its rows go with the next start at the latest.
    await scene.host.stop();
    await scene.launch();
    await scene.host.caughtUp();
    expect(existsSync(rowsFile(generation))).toBe(false);
    expect(await scene.states()).toEqual(['1 serving', '2 failed']);
    expect(await scene.version('s1')).toBe('2.0');
  });

  it('is passed over by a rebuild once it is discarded, also after a restart', async () => {
    await scene.projection.discard('default.bad');
    await scene.host.stop();
    await scene.launch();
    const shown = await scene.snapshot('bad');
    await scene.generations.promote(await scene.built(), undefined);
    const rebuilt = await scene.snapshot('bad');
    expect(rebuilt).toMatchObject({ state: 'present', parked: false, revision: 2n });
    expect(rebuilt?.epoch).toBeGreaterThan(shown?.epoch ?? Infinity);
  });

  it('is passed over where it is discarded while the rebuild runs', async () => {
    const { generation } = await scene.generations.catalog.begin(1, new Date());
    let discarded: Promise<void> | undefined;
    // The job knows the discards of its start by then, and has folded nothing.
    log.onNext = () => {
      discarded ??= discardBehind();
      return 'pass';
    };
    expect(await job(generation)).toMatchObject({ state: 'ready', problem: null });
    await discarded;
  });
});

describe('the lock of a generation', () => {
  it('has a second job refused, which changes nothing (faults.md C 31)', async () => {
    const { generation } = await scene.generations.catalog.begin(1, new Date());
    const stop = new AbortController();
    log.onNext = () => 'silent';
    const first = job(generation, stop.signal);
    await eventually(() => log.live > 1);
    await expect(job(generation)).rejects.toMatchObject({ code: 'read_model_locked' });
    expect(await scene.states()).toEqual(['1 serving', '2 building']);
    stop.abort();
    expect(await first).toMatchObject({ state: 'building' });
    log.onNext = () => 'pass';
    expect(await job(generation)).toMatchObject({ state: 'ready' });
  });

  it('keeps the rows of a job of another process until it has ended', async () => {
    const { generation } = await scene.generations.catalog.begin(1, new Date());
    log.onNext = () => 'silent';
    const other = job(generation);
    await eventually(() => log.live > 1);
    const dropped = await scene.generations.drop(generation, undefined);
    expect(dropped).toMatchObject({ state: 'cancelled' });
    // It has looked at the catalogue, and ended.
    expect(await other).toMatchObject({ state: 'cancelled' });
    expect(existsSync(rowsFile(generation))).toBe(false);
    await expect(job(generation)).rejects.toMatchObject({ code: 'rebuild_ended' });
    expect(existsSync(rowsFile(generation))).toBe(false);
  });
});

it('cancels a job while it runs, and removes what it has built', async () => {
  await scene.told('s1', start, turn('t1'));
  log.onNext = () => 'silent';
  const { generation } = await scene.generations.rebuild(undefined);
  await eventually(() => existsSync(rowsFile(generation)));
  expect(await scene.generations.drop(generation, undefined)).toMatchObject({ state: 'cancelled' });
  expect(existsSync(rowsFile(generation))).toBe(false);
  expect(await scene.states()).toEqual(['1 serving', '2 cancelled']);
  await expect(scene.generations.promote(generation, undefined)).rejects.toMatchObject({
    code: 'generation_not_ready',
  });
});

it('goes on at its start with what was being built (faults.md C 31)', async () => {
  await scene.told('s1', start, turn('t1'));
  await scene.host.stop();
  const catalog = await scene.readModels.catalog('session-todos');
  await catalog.begin(1, new Date());
  await catalog.close();
  await scene.launch();
  await scene.until(2, 'ready');
  await scene.generations.promote(2, undefined);
  expect(await scene.version('s1')).toBe('1.1');
});

it('does not call it failed that a server stops while a job ends badly', async () => {
  await scene.host.stop();
  let runs = 0;
  const jobs: RebuildJobs = {
    run: (_, signal) => {
      runs += 1;
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(new Error('killed'));
        });
      });
    },
  };
  for (let round = 0; round < 6; round += 1) {
    await scene.launch({ jobs });
    await scene.generations.rebuild(undefined);
    await eventually(() => runs > round);
    await scene.host.stop();
  }
  await scene.launch();
  await scene.until(2, 'ready');
});

// "Shards" of a projection are the sessions it holds.
describe.each([0, 1, 40])('a rebuild of %i sessions (faults.md C 38)', (sessions) => {
  it('is complete, promoted, and follows what comes', async () => {
    for (let at = 0; at < sessions; at += 1) await scene.told(`s${at}`, start, turn('t1'));
    const generation = await scene.built();
    await scene.generations.promote(generation, undefined);
    const progress = await scene.generations.serving?.rows.progress();
    expect(progress).toMatchObject({ events: 2 * sessions });
    for (let at = 0; at < sessions; at += 1) expect(await scene.version(`s${at}`)).toBe('1.1');
    await scene.told('later', start);
    expect(await scene.version('later')).toBe('0.0');
    await scene.host.stop();
    await scene.launch();
    await scene.host.caughtUp();
    expect(await scene.version('later')).toBe('0.0');
    expect(await scene.states()).toEqual(['1 kept', '2 serving']);
  });
});

it('is whole where the log holds only what is ignored and what others wrote (faults.md C 38)', async () => {
  await tell(log, 'otherThing-1', foreign, foreign);
  await tell(log, 'agentSession-default.talk', foreign);
  await tell(log, 'otherThing-1', foreign);
  const head = await log.head();
  const generation = await scene.built();
  const status = (await scene.generations.statuses(head)).at(-1);
  expect(status).toMatchObject({ generation, state: 'ready', percent: 100 });
  expect(await scene.generations.promote(generation, head)).toMatchObject({ state: 'serving' });
  expect(await scene.todos.reached(head, 5_000)).toBe(true);
  expect(await scene.snapshot('talk')).toBeUndefined();
});

describe('a promotion', () => {
  it('of a paused projection shows what was built, and stands still again (faults.md C 37)', async () => {
    await scene.told('s1', start, turn('t1'));
    await scene.projection.pause();
    const position = await tell(log, 'agentSession-default.s1', write('t1', 'P:a'));
    await scene.generations.promote(await scene.built(), undefined);
    expect(await scene.version('s1')).toBe('2.1');
    // Whoever waits for what is shown does not wait in vain.
    expect(await scene.todos.reached(position, 5_000)).toBe(true);
    expect((await scene.host.statuses())[0]).toMatchObject({ state: 'paused', serving: 2 });
    await tell(log, 'agentSession-default.s1', write('t1', 'C:a'));
    const built = await scene.built();
    expect(await scene.version('s1')).toBe('2.1');
    await scene.projection.resume();
    await scene.generations.drop(built, undefined);
    expect(await scene.todos.reached(await log.head(), 5_000)).toBe(true);
    expect(await scene.version('s1')).toBe('3.1');
  });

  it('of a refused generation is refused, and from one it is the way out', async () => {
    await scene.told('s1', start, turn('t1'));
    const second = await scene.built();
    // As a read of a damaged page does.
    scene.generations.serving?.refuse(new Error('damaged'));
    await expect(scene.snapshot('s1')).rejects.toMatchObject({ code: 'projection_refused' });
    await scene.generations.promote(second, undefined);
    expect(await scene.version('s1')).toBe('1.1');
    await expect(scene.generations.promote(1, undefined)).rejects.toMatchObject({
      code: 'generation_not_ready',
    });
    expect(await scene.version('s1')).toBe('1.1');
    expect(await scene.states()).toEqual(['1 kept', '2 serving']);
  });
});
