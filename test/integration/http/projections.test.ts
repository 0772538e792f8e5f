/** The routes of projections on a real server: who stands still, and what an operator can do. */
import {
  parkedPageSchema,
  projectionsSchema,
} from '../../../src/api/projections/projections.schemas.js';
import { formatPosition } from '../../../src/events/log/position.js';
import { turn } from '../../unit/projections/session-scenario.js';
import { readinessOf } from './readiness.js';
import { appendTo, parkSession } from './park-session.js';
import { RunningServer } from './running-server.js';

let server: RunningServer;
beforeEach(async () => {
  server = await RunningServer.start();
});
afterEach(() => server.stop());

const PARKED = '/v1/projections/session-todos/parked';

async function projection(name: string) {
  const { status, body } = await server.call('GET', '/v1/projections');
  expect(status).toBe(200);
  return projectionsSchema.parse(body).items.find((one) => one.name === name);
}

async function parkedKeys(query = '') {
  return parkedPageSchema.parse((await server.call('GET', PARKED + query)).body);
}

describe('a paused projection', () => {
  const pause = () => server.call('POST', '/v1/projections/session-todos/pause');
  const resume = () => server.call('POST', '/v1/projections/session-todos/resume');

  it('answers from its rows, 504 to who waits for more, and goes on when it is resumed', async () => {
    await server.startTurn('s1', 't1');
    const seen = await server.write('s1', 't1', ['a']);
    expect((await server.read('s1', seen)).status).toBe(200);
    expect(await pause()).toMatchObject({ status: 200, body: { state: 'paused' } });
    const written = await server.write('s1', 't1', ['b']);
    expect(written.status).toBe(200);
    const position = written.headers.get('planlog-position') ?? '';
    const waited = await server.call(
      'GET',
      `/v1/sessions/${server.id('s1')}/todos?after=${position}&timeoutMs=50`,
    );
    expect(waited).toMatchObject({ status: 504, body: { code: 'projection_behind' } });
    expect(await server.read('s1')).toMatchObject({ body: { todos: [{ content: 'a' }] } });
    expect(await server.read('s1', seen)).toMatchObject({ status: 200 });
    // Told that it is paused, and that it serves.
    const { status, checks } = await readinessOf(server);
    expect(status).toBe(200);
    expect(checks['session-todos']).toBe('paused');
    expect((await resume()).status).toBe(200);
    expect(await server.read('s1', written)).toMatchObject({ body: { todos: [{ content: 'b' }] } });
    expect(await projection('session-todos')).toMatchObject({ state: 'live', secondsBehind: 0 });
  });

  it('stays so over a restart, which does not wait for it', async () => {
    await server.startTurn('s1', 't1');
    await server.read('s1', await server.write('s1', 't1', ['a']));
    await pause();
    await pause();
    await server.write('s1', 't1', ['b']);
    await server.restart();
    await server.planlog.caughtUp();
    expect(await projection('session-todos')).toMatchObject({ state: 'paused', distance: '1' });
    expect((await readinessOf(server)).status).toBe(200);
    await resume();
    await resume();
    const written = await server.write('s1', 't1', ['c']);
    expect(await server.read('s1', written)).toMatchObject({ body: { revision: '4' } });
  });
});

describe('parked sessions', () => {
  it('are listed by pages; others flow', async () => {
    for (const name of ['a', 'b', 'c']) await parkSession(server, `default.${name}`);
    await parkSession(server, 'acme.d');
    const first = await parkedKeys('?limit=2');
    expect(first.items.map(({ key }) => key)).toEqual(['acme.d', 'default.a']);
    expect(first.items[1]).toMatchObject({ stream: 'agentSession-default.a', revision: '1' });
    const next = await parkedKeys(`?limit=2&cursor=${first.cursor ?? ''}`);
    expect(next).toMatchObject({
      items: [{ key: 'default.b' }, { key: 'default.c' }],
      cursor: null,
    });
    expect(await projection('session-todos')).toMatchObject({ parked: 4, state: 'live' });
    await server.startTurn('other', 't1');
    const written = await server.write('other', 't1', ['a']);
    expect(await server.read('other', written)).toMatchObject({ body: { parked: false } });
  });

  it('say so in their view, answer session_parked to who waits, and flow again once discarded', async () => {
    const key = `default.${server.id('s1')}`;
    await parkSession(server, key);
    const stream = await server.follow('s1');
    expect((await stream.next())?.data).toMatchObject({ parked: true, epoch: 1, revision: '0' });
    const position = formatPosition(await appendTo(server, key, turn('t1')));
    expect(await server.read('s1')).toMatchObject({ status: 200, body: { parked: true } });
    const waits = `/v1/sessions/${server.id('s1')}/todos?after=${position}`;
    expect(await server.call('GET', waits)).toMatchObject({
      status: 503,
      body: { code: 'session_parked' },
    });
    expect(await server.call('POST', `${PARKED}/${key}/retry`)).toMatchObject({
      status: 200,
      body: { key, parked: { revision: '1' } },
    });
    expect(await server.call('POST', `${PARKED}/${key}/discard`)).toMatchObject({
      status: 200,
      body: { key, parked: null },
    });
    const written = await server.write('s1', 't1', ['a']);
    const read = await server.read('s1', written);
    expect(read).toMatchObject({ body: { parked: false, todos: [{ content: 'a' }] } });
    // Whoever follows is shown the higher epoch, and what comes after it.
    for (;;) {
      const frame = await stream.next();
      if (frame?.id?.startsWith('3.') === true) break;
      expect(frame).toBeDefined();
    }
    stream.leave();
    expect((await parkedKeys()).items).toEqual([]);
    await server.restart();
    expect(await server.read('s1', written)).toMatchObject({ body: { parked: false } });
  });

  it('take a delete, which ends the parking', async () => {
    const key = `default.${server.id('s1')}`;
    await parkSession(server, key);
    const deleted = await server.call('DELETE', `/v1/sessions/${server.id('s1')}`);
    expect(deleted.status).toBe(204);
    expect((await server.read('s1', deleted)).status).toBe(410);
    expect(await server.call('POST', `${PARKED}/${key}/retry`)).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  });

  it('have keys as long as they come: 63 characters of tenant, 128 of session', async () => {
    const key = `${'t'.repeat(63)}.${'s'.repeat(128)}`;
    await parkSession(server, key);
    expect((await server.call('POST', `${PARKED}/${key}/discard`)).status).toBe(200);
  });
});

it.each([
  ['POST', '/v1/projections/nothing/pause'],
  ['POST', '/v1/projections/nothing/resume'],
  ['GET', '/v1/projections/nothing/parked'],
  ['POST', '/v1/projections/nothing/parked/default.s1/retry'],
  ['POST', '/v1/projections/nothing/parked/default.s1/discard'],
  ['POST', '/v1/projections/session-todos/parked/default.s1/retry'],
  ['POST', '/v1/projections/session-todos/parked/default.s1/discard'],
  // A reaction is none.
  ['POST', '/v1/projections/truncate-deleted-sessions/pause'],
])('%s %s is 404', async (method, path) => {
  expect(await server.call(method, path)).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  });
});
