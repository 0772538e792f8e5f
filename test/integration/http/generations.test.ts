/** Generations over HTTP: built in a process of their own, promoted before open streams. */
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { z } from 'zod';
import { generationsSchema } from '../../../src/api/generations/generations.schemas.js';
import { generationSchema } from '../../../src/api/projections/projections.schemas.js';
import { start, turn, type Told } from '../../unit/projections/session-scenario.js';
import { appendTo, parkSession } from './park-session.js';
import { readinessOf } from './readiness.js';
import { RunningServer, type Answer } from './running-server.js';

const GENERATIONS = '/v1/projections/session-todos/generations';
type Generation = z.infer<typeof generationSchema>;

let server: RunningServer;
beforeEach(async () => {
  server = await RunningServer.start();
});
afterEach(() => server.stop());

async function listed(): Promise<Generation[]> {
  const { body } = await server.call('GET', GENERATIONS);
  return generationsSchema.parse(body).items;
}

/** Waits until a generation is in a state; `each` is done at every look. */
async function until(generation: number, state: string, each?: () => Promise<void>) {
  const end = Date.now() + 30_000;
  for (;;) {
    await each?.();
    const found = (await listed()).find((one) => one.generation === generation);
    if (found?.state === state) return found;
    if (Date.now() > end) throw new Error(`it is ${JSON.stringify(found)}, not ${state}`);
    await pause(20);
  }
}

async function begun(): Promise<number> {
  const { status, body } = await server.call('POST', GENERATIONS);
  expect(status).toBe(202);
  return generationSchema.parse(body).generation;
}

function promote(generation: number): Promise<Answer> {
  return server.call('POST', `${GENERATIONS}/${generation}/promote`);
}

it('sends an open stream one snapshot with the new epoch, and takes versions with and without one', async () => {
  await server.startTurn('s1', 't1');
  const before = await server.read('s1', await server.write('s1', 't1', ['a']));
  expect(before.headers.get('etag')).toBe('"2"');
  const client = await server.follow('s1');
  expect(await client.next()).toMatchObject({ id: '2' });

  const generation = await begun();
  await until(generation, 'ready');
  expect((await promote(generation)).body).toMatchObject({ generation, state: 'serving' });
  const frame = await client.next();
  expect(frame).toMatchObject({ event: 'todos', id: '2.1', data: { todos: [{ content: 'a' }] } });

  // What was read before is not the same version any more; as a fence it holds all the same.
  const stale = await server.read('s1', undefined, { 'if-none-match': '"2"' });
  expect(stale.status).toBe(200);
  expect(stale.headers.get('etag')).toBe('"2.1"');
  expect((await server.read('s1', undefined, { 'if-none-match': '"2.1"' })).status).toBe(304);
  expect((await server.write('s1', 't1', ['x'], { 'if-match': '"1.1"' })).status).toBe(412);
  await server.write('s1', 't1', ['b'], { 'if-match': '"2"' });
  const third = await server.write('s1', 't1', ['c'], { 'if-match': '"3.1"' });
  expect(third.status).toBe(200);
  // One snapshot for the promotion: what comes next are the writes.
  const rest = [await client.next(), await client.next()];
  expect(rest.map((next) => next?.id)).toEqual(['3.1', '4.1']);
  client.leave();

  await server.read('s1', third);
  for (const last of ['4', '4.1', '2']) {
    const again = await server.follow('s1', { 'last-event-id': last });
    expect(await again.next()).toMatchObject({ id: '4.1', data: { todos: [{ content: 'c' }] } });
    again.leave();
  }
});

it('stays ready while another generation is built and promoted (faults.md C 35)', async () => {
  for (let at = 0; at < 20; at += 1) {
    await server.startTurn(`s${at}`, 't1');
    await server.write(`s${at}`, 't1', ['a']);
  }
  await server.planlog.caughtUp();
  const looked: string[] = [];
  const look = async (): Promise<void> => {
    const { status, checks } = await readinessOf(server);
    looked.push(`${status} ${checks['session-todos']}`);
    expect((await server.read('s3')).body).toMatchObject({ todos: [{ content: 'a' }] });
  };
  const generation = await begun();
  await until(generation, 'ready', look);
  await promote(generation);
  await look();
  await server.call('DELETE', `${GENERATIONS}/1`);
  await look();
  expect(new Set(looked)).toEqual(new Set(['200 live']));
});

it('has a rebuild fail on an event that cannot be folded, refuses it, and takes it discarded', async () => {
  await server.startTurn('s1', 't1');
  await server.read('s1', await server.write('s1', 't1', ['a']));
  const session = server.id('bad');
  await parkSession(server, `default.${session}`);
  const failed = await begun();
  const { problem } = await until(failed, 'failed');
  expect(problem).toContain(`revision 1 of agentSession-default.${session}`);
  const refused = await promote(failed);
  expect(refused.status).toBe(409);
  expect(refused.body).toMatchObject({
    code: 'generation_not_ready',
    detail: expect.stringContaining('cannot be folded') as unknown,
  });
  expect((await server.read('s1')).headers.get('etag')).toBe('"2"');

  const parked = `/v1/projections/session-todos/parked/default.${session}`;
  expect((await server.call('POST', `${parked}/discard`)).status).toBe(200);
  const built = await begun();
  await until(built, 'ready');
  expect((await promote(built)).status).toBe(202);
  // Later events of that session flow.
  await appendTo(server, `default.${session}`, turn('t2'));
  const again = await server.startTurn('s1', 't2', true);
  await server.read('s1', again);
  expect((await server.read(session)).body).toMatchObject({ parked: false, turn: { id: 't2' } });
}, 60_000);

it('serves again after damage, once another generation is built and promoted', async () => {
  const padding: Told = {
    type: 'todo/write',
    data: {
      turnId: 't1',
      todos: Array.from({ length: 20 }, (_, at) => ({
        content: `${at} ${'x'.repeat(1_000)}`,
        status: 'pending',
      })),
    },
  };
  for (let at = 0; at < 30; at += 1) {
    await appendTo(server, `default.${server.id(`s${at}`)}`, start, turn('t1'), padding);
  }
  await server.startTurn('last', 't1');
  await server.read('last', await server.write('last', 't1', ['a']));
  await server.damage((directory) => {
    const file = join(directory, 'session-todos.v1.g1.db');
    // All of it in the file itself: what lies in the -wal would hide the damage.
    const db = new DatabaseSync(file);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    db.close();
    const { size } = statSync(file);
    const noise = Buffer.alloc(Math.floor(size / 2), 0xa5);
    const open = openSync(file, 'r+');
    writeSync(open, noise, 0, noise.length, size - noise.length);
    closeSync(open);
  });
  let refused = false;
  for (let at = 0; at < 30; at += 1) refused ||= (await server.read(`s${at}`)).status === 503;
  expect(refused).toBe(true);
  const generation = await begun();
  await until(generation, 'ready');
  expect(await promote(generation)).toMatchObject({ status: 202 });
  const read = await server.read('s7');
  expect(read).toMatchObject({ status: 200, body: { state: 'current' } });
  expect(read.headers.get('etag')).toMatch(/^"2\.[1-9]\d*"$/);
  expect((await readinessOf(server)).checks['session-todos']).toBe('live');
}, 60_000);
