/** Generations beside the one that is served: promoting, rolling back, dropping. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { rebuildGeneration } from '../../../src/projections/runtime/rebuild/rebuild-generation.js';
import type { SessionSnapshot } from '../../../src/projections/session-todos/session-snapshot.js';
import { isNewer } from '../../../src/projections/session-todos/session-snapshot.js';
import { sessionTodosProjection } from '../../../src/projections/session-todos/session-todos.projection.js';
import { tell } from '../../faults/projections/faulty-log.js';
import { end, remove, start, turn, write } from '../../unit/projections/session-scenario.js';
import { eventually, GenerationsScenario } from './generations-scenario.js';

let scene: GenerationsScenario;

beforeEach(async () => {
  scene = new GenerationsScenario();
  await scene.launch();
  await scene.host.caughtUp();
});
afterEach(() => scene.end());

it('answers from nothing that is not complete: neither an empty view nor an older one', async () => {
  await scene.told('s1', start, turn('t1'), write('t1', 'P:a'));
  await scene.host.stop();
  // A new version, whose first generation a job is at: this process does not fold it.
  const release = await scene.readModels.lock('session-todos.v2.g2');
  const catalog = await scene.readModels.catalog('session-todos');
  await catalog.begin(2, new Date());
  await scene.launch({ version: 2 });
  await expect(scene.snapshot('s1')).rejects.toMatchObject({ code: 'projection_not_ready' });
  expect((await scene.host.statuses())[0]).toMatchObject({ state: 'stopped' });
  // The job has ended, and said so.
  release();
  await rebuildGeneration({
    log: scene.log,
    readModels: scene.readModels,
    projection: { ...sessionTodosProjection, version: 2 },
    generation: 2,
  });
  await catalog.close();
  await scene.host.caughtUp();
  expect(await scene.version('s1')).toBe('2.0');
});

it('builds a new version itself, and is not caught up before it serves it', async () => {
  await scene.told('s1', start, turn('t1'), write('t1', 'P:a'));
  await scene.host.stop();
  await scene.launch({ version: 2 });
  await scene.host.caughtUp();
  expect(await scene.version('s1')).toBe('2.0');
  expect(await scene.states()).toEqual(['1 serving', '2 serving']);
});

it('raises the epoch of every session by a promotion, and of no session that comes later', async () => {
  await scene.told('s1', start, turn('t1'), write('t1', 'P:a'));
  expect(await scene.version('s1')).toBe('2.0');
  const second = await scene.built();
  expect(await scene.version('s1')).toBe('2.0');
  await scene.generations.promote(second, undefined);
  expect(await scene.version('s1')).toBe('2.1');
  await scene.told('s2', start, turn('t1'));
  expect(await scene.version('s2')).toBe('1.0');
  await scene.told('s1', write('t1', 'C:a'));
  expect(await scene.version('s1')).toBe('3.1');

  await scene.host.stop();
  await scene.launch();
  expect(await scene.states()).toEqual(['1 kept', '2 serving']);
  expect(await scene.version('s1')).toBe('3.1');
  expect(await scene.version('s2')).toBe('1.0');

  // Back, and forth again: upward, always.
  await scene.generations.promote(1, undefined);
  const back = [await scene.snapshot('s1'), await scene.snapshot('s2')];
  await scene.generations.promote(2, undefined);
  const forth = [await scene.snapshot('s1'), await scene.snapshot('s2')];
  back.forEach((before, index) => {
    const after = forth[index];
    if (!before || !after) throw new Error('a session is missing');
    expect(isNewer(after, before)).toBe(true);
    expect(before.epoch).toBeGreaterThan(1);
  });
  await scene.told('s3', start);
  expect(await scene.version('s3')).toBe('0.0');
});

it('sends each open follower a snapshot when the epoch changes, and every change once', async () => {
  await scene.told('s1', start, turn('t1'), write('t1', 'P:a'));
  const heard: SessionSnapshot[] = [];
  scene.todos.subscribe({ tenant: 'default', sessionId: 's1' }, (snapshot) => heard.push(snapshot));
  const second = await scene.built();
  // A rebuild itself tells nobody anything (faults.md C 25).
  expect(heard).toEqual([]);
  await scene.generations.promote(second, undefined);
  await eventually(() => heard.length > 0);
  await scene.told('s1', write('t1', 'C:a'));
  expect(heard.map(({ revision, epoch }) => `${revision.toString()}.${epoch}`)).toEqual([
    '2.1',
    '3.1',
  ]);
});

it('numbers changes upward over a promotion', async () => {
  await scene.told('s1', start, turn('t1'));
  await scene.told('s1', write('t1', 'P:a'));
  const before = await scene.projection.get('default.s1');
  await scene.generations.promote(await scene.built(), undefined);
  const after = await scene.projection.get('default.s1');
  expect(after?.change).toBeGreaterThan(before?.change ?? Infinity);
});

it('rolls back to what neither goes back in time nor brings back a deleted session', async () => {
  await scene.told('s1', start, turn('t1'), write('t1', 'P:a'));
  await scene.told('gone', start, turn('t1'), write('t1', 'P:secret'));
  await scene.generations.promote(await scene.built(), undefined);
  await scene.told('s1', write('t1', 'C:a'), end('t1', 'completed'));
  await scene.told('gone', remove);
  await scene.log.truncate('agentSession-default.gone', 3n);
  await scene.generations.promote(1, undefined);
  expect(await scene.snapshot('s1')).toMatchObject({ revision: 4n, state: 'present' });
  expect(await scene.snapshot('gone')).toMatchObject({ state: 'deleted' });
});

it('promotes only what is ready, drops only what is not served', async () => {
  await scene.told('s1', start);
  await expect(scene.generations.promote(7, undefined)).rejects.toMatchObject({
    code: 'generation_not_found',
  });
  await expect(scene.generations.drop(7, undefined)).rejects.toMatchObject({
    code: 'generation_not_found',
  });
  await expect(scene.generations.drop(1, undefined)).rejects.toMatchObject({
    code: 'generation_serving',
  });
  await scene.generations.catalog.begin(1, new Date());
  await expect(scene.generations.promote(2, undefined)).rejects.toMatchObject({
    code: 'generation_not_ready',
  });
  expect(await scene.generations.promote(1, undefined)).toMatchObject({ state: 'serving' });
  expect(await scene.states()).toEqual(['1 serving', '2 building']);
});

it('removes the rows of what is dropped, and cancels what is being built', async () => {
  await scene.told('s1', start);
  const file = (generation: number) => join(scene.directory, `session-todos.v1.g${generation}.db`);
  const second = await scene.built();
  expect(existsSync(file(second))).toBe(true);
  await scene.generations.drop(second, undefined);
  expect(existsSync(file(second))).toBe(false);
  expect(await scene.states()).toEqual(['1 serving']);

  const third = await scene.generations.catalog.begin(1, new Date());
  expect(await scene.generations.drop(third.generation, undefined)).toMatchObject({
    generation: 3,
    state: 'cancelled',
  });
  expect(await scene.states()).toEqual(['1 serving', '3 cancelled']);
  await scene.generations.drop(3, undefined);
  expect(await scene.states()).toEqual(['1 serving']);
});

it('keeps the served view whole and growing while writers write and generations change (faults.md C 30)', async () => {
  const sessions = Array.from({ length: 5 }, (_, index) => `s${index}`);
  const revisions = new Map<string, bigint>();
  for (const id of sessions) {
    await scene.told(id, start, turn('t1'));
    revisions.set(id, 1n);
  }
  const seen = new Map<string, SessionSnapshot>();
  const look = async (): Promise<void> => {
    for (const id of sessions) {
      const now = await scene.snapshot(id);
      if (now === undefined) throw new Error(`${id} is not there`);
      const before = seen.get(id);
      if (before && before !== now && !isNewer(now, before)) {
        throw new Error(
          `${id} went back from ${String(before.revision)} to ${String(now.revision)}`,
        );
      }
      seen.set(id, now);
    }
  };
  const writing = { now: true };
  const writer = (async () => {
    for (let round = 0; writing.now; round += 1) {
      for (const id of sessions) {
        const position = await tell(
          scene.log,
          `agentSession-default.${id}`,
          write('t1', `P:item ${round}`),
        );
        // What was acknowledged is there for whoever waits, also across a promotion (C 34).
        if (round % 3 === 0 && !(await scene.todos.reached(position, 5_000))) {
          throw new Error('a wait was lost');
        }
        await look();
      }
    }
  })();
  for (let round = 0; round < 4; round += 1) {
    const next = await scene.built();
    await scene.generations.promote(next, undefined);
    await scene.generations.promote(next - 1, undefined);
    await scene.generations.promote(next, undefined);
    await scene.generations.drop(next - 1, undefined);
  }
  writing.now = false;
  await writer;
  const head = await scene.log.head();
  expect(await scene.todos.reached(head, 5_000)).toBe(true);
  await look();
  expect((await scene.states()).at(-1)).toMatch(/serving$/);
}, 60_000);
