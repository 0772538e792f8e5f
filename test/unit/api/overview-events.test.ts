/** The live fleet over SSE, on real connections. */
import { connect, type Socket } from 'node:net';
import { jest } from '@jest/globals';
import { overviewItemSchema } from '../../../src/api/overview/overview-view.schemas.js';
import { OpenStreams } from '../../../src/api/sse/open-streams.js';
import { openApiApp, type ApiApp } from './api-app.js';
import { SseClient } from './sse-client.js';

let api: ApiApp;
let url: string;
beforeEach(async () => {
  api = await openApiApp();
  url = await api.listen();
});
afterEach(() => api.app.close());

const follow = (lastEventId?: string) =>
  SseClient.open(
    `${url}/v1/sessions/events`,
    lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
  );
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a stream', () => {
  it('says what it is', async () => {
    const { status, headers } = (await follow()).response;
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-accel-buffering')).toBe('no');
  });

  it('tells no session before it changes, then each change with its number', async () => {
    api.fleet.commit('old', {});
    const client = await follow();
    api.fleet.commit('s1', { state: 'current' });
    api.fleet.commit('old', { state: 'cleared' });
    const frames = [await client.next(), await client.next()];
    expect(frames).toMatchObject([
      { event: 'session', id: '2', data: { sessionId: 's1', state: 'current' } },
      { event: 'session', id: '3', data: { sessionId: 'old', state: 'cleared' } },
    ]);
    expect(overviewItemSchema.safeParse(frames[0]?.data).error).toBeUndefined();
  });

  it('begins with the number to resume from, for a client that is cut off before any change', async () => {
    for (const id of ['a', 'b', 'c']) api.fleet.commit(id, {});
    const client = await follow();
    api.fleet.commit('d', {});
    await client.next();
    expect(client.comments).toEqual([': from here on\nid: 3']);
  });

  it('tells that a session was deleted, and its id alone', async () => {
    const client = await follow();
    api.fleet.commit('s1', 'deleted');
    expect(await client.next()).toEqual({ event: 'deleted', id: '1', data: { sessionId: 's1' } });
  });

  it('tells nothing of other tenants', async () => {
    const client = await follow();
    api.fleet.commit('s1', {}, { tenant: 'other' });
    api.fleet.commit('s2', {});
    expect(await client.next()).toMatchObject({ id: '2', data: { sessionId: 's2' } });
  });

  it('tells what changed many times in one commit’s wake once, as it is now', async () => {
    const client = await follow();
    for (const state of ['never-written', 'current', 'cleared'] as const) {
      api.fleet.commit('s1', { state });
    }
    expect(await client.next()).toMatchObject({ id: '3', data: { state: 'cleared' } });
  });

  it('says of a parked session that it stands still', async () => {
    const client = await follow();
    const parked = { stream: 's', revision: 4n, reason: 'r', at: new Date(0).toISOString() };
    api.fleet.commit('s1', {}, { parked });
    expect(await client.next()).toMatchObject({ data: { parked: true } });
  });

  it('ends when the rows cannot be read, so that its client tries again', async () => {
    const client = await follow();
    api.fleet.failure = new Error('closed');
    api.fleet.commit('s1', {});
    expect(await client.next()).toBeUndefined();
  });

  it('answers HEAD with its headers', async () => {
    const answer = await api.app.inject({ method: 'HEAD', url: '/v1/sessions/events' });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toContain('text/event-stream');
  });
});

describe('a client that comes back', () => {
  it('gets what changed since, each session once, deletions too', async () => {
    for (const id of ['a', 'b', 'c', 'd']) api.fleet.commit(id, {});
    api.fleet.commit('b', { state: 'cleared' });
    api.fleet.commit('a', 'deleted');
    const client = await follow('3');
    const frames = [await client.next(), await client.next(), await client.next()];
    expect(frames.map((frame) => [frame?.event, frame?.id])).toEqual([
      ['session', '4'],
      ['session', '5'],
      ['deleted', '6'],
    ]);
    api.fleet.commit('c', {});
    expect(await client.next()).toMatchObject({ id: '7' });
  });

  it('gets more than one page of changes, in order', async () => {
    // Deletions: their frames are so small that all of them fit into one buffer.
    for (let id = 0; id < 250; id += 1) api.fleet.commit(`s${id}`, 'deleted');
    const client = await follow('0');
    for (let id = 1; id <= 250; id += 1) {
      expect(await client.next()).toMatchObject({ id: String(id) });
    }
  });

  it('with a number that is not known yet gets everything: the read model is another', async () => {
    api.fleet.commit('a', {});
    const client = await follow('99');
    expect(await client.next()).toMatchObject({ id: '1', data: { sessionId: 'a' } });
  });

  it.each(['latest', '', '-1', '1.1', '01', '99999999999999999'])(
    'with the id %j is refused',
    async (id) => {
      const answer = await api.app.inject({
        method: 'GET',
        url: '/v1/sessions/events',
        headers: { 'last-event-id': id },
      });
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ errors: [{ path: 'Last-Event-ID' }] });
    },
  );
});

describe('a client that does not read', () => {
  let socket: Socket;
  afterEach(() => socket.destroy());

  it('piles up nothing: each session is told once, as it is when the client reads again', async () => {
    socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.pause();
    socket.write('GET /v1/sessions/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    while (api.app.get(OpenStreams).size === 0) await turn();
    // Far more than sockets buffer, of two sessions that never stop.
    const long = 'x'.repeat(100_000);
    let before = -1;
    let blocked = 0;
    let rounds = 0;
    while (blocked < 50) {
      rounds += 1;
      for (const id of ['a', 'b']) {
        api.fleet.commit(id, { active: [`${rounds} ${long}`], revision: String(rounds) });
      }
      await turn();
      // Once nothing can be sent, nothing is read either.
      blocked = api.fleet.reads === before ? blocked + 1 : 0;
      before = api.fleet.reads;
    }
    api.fleet.commit('a', 'deleted');
    const text = await readUntil(socket, 'event: deleted');
    const revisions = [...text.matchAll(/"revision":"(\d+)"/g)].map(([, one]) => Number(one));
    const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    expect(ids).toEqual([...ids].sort((x, y) => x - y));
    expect(new Set(ids).size).toBe(ids.length);
    // All that was committed while it did not read came down to one frame.
    expect(revisions.at(-1)).toBe(rounds);
    expect(revisions.at(-2)).toBeLessThan(rounds - 45);
  });
});

describe('a client that comes back and does not read', () => {
  it('is told no row that has changed while it waited for its turn', async () => {
    const ids = Array.from({ length: 90 }, (_, index) => `s${index}`);
    const row = (revision: string) => ({ active: ['x'.repeat(300_000)], revision });
    for (const id of ids) api.fleet.commit(id, row('1'));
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.pause();
    socket.write('GET /v1/sessions/events HTTP/1.1\r\nHost: 127.0.0.1\r\nLast-Event-ID: 0\r\n\r\n');
    while (api.fleet.reads === 0) await turn();
    for (let turns = 0; turns < 50; turns += 1) await turn();
    for (const id of ids) api.fleet.commit(id, row('2'));
    api.fleet.commit('last', 'deleted');
    const text = await readUntil(socket, 'event: deleted');
    socket.destroy();
    const told = (revision: string) => text.split(`"revision":"${revision}"`).length - 1;
    expect(told('2')).toBe(ids.length);
    expect(told('1')).toBeLessThan(ids.length);
  });
});

describe('streams as a whole', () => {
  it('leave nothing behind when their clients are gone', async () => {
    const clients = [await follow(), await follow()];
    expect(api.fleet.listeners.size).toBe(1);
    for (const client of clients) client.leave();
    while (api.app.get(OpenStreams).size > 0) await turn();
    expect(api.fleet.listeners.size).toBe(0);
  });

  it('read once for all who stand at one place', async () => {
    const clients = await Promise.all([follow(), follow(), follow()]);
    api.fleet.commit('s1', {});
    for (const client of clients) expect(await client.next()).toMatchObject({ id: '1' });
    expect(api.fleet.reads).toBe(1);
  });

  it('carry a comment every 15 s', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    try {
      const client = await follow();
      jest.advanceTimersByTime(15_000);
      api.fleet.commit('s1', {});
      await client.next();
      expect(client.comments).toContain(': keep-alive');
    } finally {
      jest.useRealTimers();
    }
  });

  it('are ended by a stop of the server', async () => {
    const client = await follow();
    const closed = api.app.close();
    expect(await client.next()).toBeUndefined();
    await closed;
  });
});

/** What the socket gives until a text was in it. */
function readUntil(socket: Socket, end: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: Buffer | string) => {
      text += String(chunk);
      if (text.includes(end)) resolve(text);
    });
    socket.on('error', reject);
    socket.resume();
  });
}
