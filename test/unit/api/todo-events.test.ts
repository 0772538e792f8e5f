/** The live checklist over SSE, on real connections. */
import { connect } from 'node:net';
import { jest } from '@jest/globals';
import { OpenStreams } from '../../../src/api/sse/open-streams.js';
import { INITIAL_ROW } from '../../../src/projections/session-todos/session-todos.row.js';
import { openApiApp, type ApiApp } from './api-app.js';
import { Refusal } from '../../../src/projections/runtime/refusal.js';
import { SseClient } from './sse-client.js';

let api: ApiApp;
let url: string;
beforeEach(async () => {
  api = await openApiApp();
  url = await api.listen();
});
afterEach(() => api.app.close());

const follow = (lastEventId?: string, id = 's1') =>
  SseClient.open(
    `${url}/v1/sessions/${id}/todos/events`,
    lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
  );
const streams = () => api.app.get(OpenStreams);
/** Settles when the server has noticed that all its clients are gone. */
async function allGone(): Promise<void> {
  while (streams().size > 0 || api.rows.listening > 0) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('a stream', () => {
  it('says what it is', async () => {
    api.rows.write('s1', 1n, []);
    const client = await follow();
    expect(client.response.status).toBe(200);
    expect(client.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(client.response.headers.get('cache-control')).toBe('no-store');
    expect(client.response.headers.get('x-accel-buffering')).toBe('no');
  });

  it('begins with the snapshot, then every change', async () => {
    api.rows.write('s1', 2n, ['a']);
    const client = await follow();
    expect(await client.next()).toMatchObject({
      event: 'todos',
      id: '2',
      data: { sessionId: 's1', revision: '2', todos: [{ content: 'a' }] },
    });
    for (const revision of [3n, 4n, 5n]) api.rows.write('s1', revision, [`at ${revision}`]);
    for (const id of ['3', '4', '5']) expect(await client.next()).toMatchObject({ id });
  });

  it('row 32: begins with an explicit empty list', async () => {
    api.rows.write('s1', 5n, [], { row: { state: 'cleared' } });
    const client = await follow();
    expect(await client.next()).toMatchObject({
      id: '5',
      data: { state: 'cleared', todos: [], counts: { total: 0 } },
    });
  });

  it('row 44: begins with never-written, which does not hold back revision 1', async () => {
    api.rows.write('s1', 0n, [], { row: { ...INITIAL_ROW, revision: '0' } });
    const client = await follow();
    expect(await client.next()).toMatchObject({ id: '0', data: { state: 'never-written' } });
    api.rows.write('s1', 1n, ['a']);
    expect(await client.next()).toMatchObject({ id: '1', data: { state: 'current' } });
  });

  it('row 41: may be opened before the session exists', async () => {
    const client = await follow();
    expect(client.response.status).toBe(200);
    api.rows.write('s1', 0n, [], { row: { state: 'never-written' } });
    api.rows.write('s1', 1n, ['first']);
    expect(await client.next()).toMatchObject({ id: '0' });
    expect(await client.next()).toMatchObject({ id: '1', data: { todos: [{ content: 'first' }] } });
  });

  it('row 46: never goes back, whatever it is told', async () => {
    api.rows.write('s1', 5n, ['new']);
    const client = await follow();
    expect(await client.next()).toMatchObject({ id: '5' });
    api.rows.write('s1', 4n, ['old']);
    api.rows.write('s1', 5n, ['same']);
    api.rows.write('s1', 6n, ['newer']);
    expect(await client.next()).toMatchObject({ id: '6' });
  });

  it('takes a higher epoch for newer, also at a lower revision', async () => {
    api.rows.write('s1', 5n, ['a']);
    const client = await follow();
    expect(await client.next()).toMatchObject({ id: '5' });
    api.rows.write('s1', 3n, ['rebuilt'], { epoch: 1 });
    api.rows.write('s1', 9n, ['late'], { epoch: 0 });
    api.rows.write('s1', 4n, ['on'], { epoch: 1 });
    expect(await client.next()).toMatchObject({ id: '3.1', data: { epoch: 1 } });
    expect(await client.next()).toMatchObject({ id: '4.1' });
  });

  it('misses nothing that changes while the snapshot is read', async () => {
    api.rows.write('s1', 1n, ['old']);
    let release = (): void => undefined;
    api.rows.reading = new Promise((resolve) => (release = resolve));
    const opening = follow();
    while (api.rows.listening === 0) await new Promise((resolve) => setImmediate(resolve));
    api.rows.write('s1', 2n, ['new']);
    release();
    const client = await opening;
    expect(await client.next()).toMatchObject({ id: '2' });
    api.rows.write('s1', 3n, ['newer']);
    expect(await client.next()).toMatchObject({ id: '3' });
  });

  it('row 55: shows no other session', async () => {
    api.rows.write('s1', 1n, ['mine']);
    const client = await follow();
    await client.next();
    api.rows.write('s2', 2n, ['other']);
    api.rows.write('s1', 3n, ['mine again']);
    expect(await client.next()).toMatchObject({ id: '3' });
  });

  it('row 94: a second client joins later and sees the same', async () => {
    api.rows.write('s1', 1n, ['a']);
    const first = await follow();
    expect(await first.next()).toMatchObject({ id: '1' });
    api.rows.write('s1', 2n, ['b']);
    const second = await follow();
    expect(await second.next()).toEqual(await first.next());
  });

  it('ends with the session, which is 410 from then on', async () => {
    api.rows.write('s1', 1n, ['a']);
    const client = await follow();
    await client.next();
    api.rows.delete('s1', 2n);
    expect(await client.next()).toEqual({ event: 'deleted', id: '2', data: { sessionId: 's1' } });
    expect(await client.next()).toBeUndefined();
    await allGone();
    const again = await fetch(`${url}/v1/sessions/s1/todos/events`);
    expect(again.status).toBe(410);
    expect(again.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(await again.json()).toMatchObject({ code: 'session_deleted' });
    expect(api.rows.listening).toBe(0);
  });

  it('ends when the read model may not be served any more, and says so to whoever comes', async () => {
    api.rows.write('s1', 1n, ['a']);
    const client = await follow();
    await client.next();
    api.rows.refusal.set(new Error('agentSession-acme.secret ends early'));
    expect(await client.next()).toBeUndefined();
    await allGone();
    for (const path of ['todos/events', 'todos', 'todos?after=1']) {
      const again = await fetch(`${url}/v1/sessions/s1/${path}`);
      expect(again.status).toBe(503);
      expect(again.headers.get('retry-after')).not.toBeNull();
      const text = await again.text();
      expect(text).toMatch(/"store_unavailable".*an operator has to restore or rebuild it/);
      expect(text).not.toContain('secret');
    }
    expect(api.rows.listening).toBe(0);
    api.rows.refusal = new Refusal('session-todos');
  });

  it('is kept alive by a comment every fifteen seconds, from one timer for all', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'performance'] });
    try {
      api.rows.write('s1', 1n, ['a']);
      const clients = [await follow(), await follow(), await follow()];
      for (const client of clients) await client.next();
      expect(jest.getTimerCount()).toBe(1);
      jest.advanceTimersByTime(45_000);
      api.rows.write('s1', 2n, ['b']);
      for (const client of clients) {
        expect(await client.next()).toMatchObject({ id: '2' });
        expect(client.comments).toHaveLength(3);
        client.leave();
      }
      await allGone();
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  it('is described by HEAD, without being opened', async () => {
    for (const id of ['s1', 'absent']) {
      api.rows.write('s1', 1n, ['a']);
      const answer = await fetch(`${url}/v1/sessions/${id}/todos/events`, { method: 'HEAD' });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    }
    api.rows.delete('gone', 1n);
    const gone = await fetch(`${url}/v1/sessions/gone/todos/events`, { method: 'HEAD' });
    expect(gone.status).toBe(410);
    expect(api.rows.listening).toBe(0);
    expect(streams().size).toBe(0);
  });
});

describe('Last-Event-ID', () => {
  it.each(['', 'x', '-1', '01', '1.', '"1"', '1.x', '1, 2'])('refuses %j', async (id) => {
    api.rows.write('s1', 1n, ['a']);
    const answer = await api.app.inject({
      url: '/v1/sessions/s1/todos/events',
      headers: { 'last-event-id': id },
    });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ errors: [{ path: 'Last-Event-ID' }] });
    expect(api.rows.listening).toBe(0);
  });

  it.each(['3', '3.0', '2', '0'])('row 40: %s gets the snapshot at once', async (id) => {
    api.rows.write('s1', 3n, ['a']);
    const client = await follow(id);
    expect(await client.next()).toMatchObject({ id: '3' });
  });

  it('a higher epoch is never stale', async () => {
    api.rows.write('s1', 3n, ['a'], { epoch: 1 });
    const client = await follow('9');
    expect(await client.next()).toMatchObject({ id: '3.1' });
  });

  it('row 40: waits for what the client has seen, on a replica that is behind', async () => {
    api.rows.write('s1', 3n, ['a']);
    const client = await follow('5');
    api.rows.write('s1', 4n, ['b']);
    api.rows.write('s1', 5n, ['c']);
    expect(await client.next()).toMatchObject({ id: '5' });
    api.rows.write('s1', 6n, ['d']);
    expect(await client.next()).toMatchObject({ id: '6' });
  });

  it('waits five seconds, then shows what there is', async () => {
    api.rows.write('s1', 3n, ['a']);
    const asked = performance.now();
    const client = await follow('5');
    expect(await client.next()).toMatchObject({ id: '3' });
    expect(performance.now() - asked).toBeGreaterThan(4_900);
    api.rows.write('s1', 4n, ['b']);
    expect(await client.next()).toMatchObject({ id: '4' });
  });

  it('a deleted session does not wait', async () => {
    api.rows.write('s1', 3n, ['a']);
    const client = await follow('9');
    api.rows.delete('s1', 4n);
    expect(await client.next()).toMatchObject({ event: 'deleted' });
    expect(await client.next()).toBeUndefined();
  });
});

describe('clients that behave badly', () => {
  it('row 40: a client that leaves leaves nothing behind', async () => {
    api.rows.write('s1', 1n, ['a']);
    for (let round = 0; round < 20; round += 1) {
      const client = await follow();
      await client.next();
      client.leave();
    }
    await allGone();
    expect(api.rows.listening).toBe(0);
    expect(streams().size).toBe(0);
  });

  it('a client that does not read gets the newest, and costs no memory', async () => {
    const size = 200_000;
    const big = (revision: bigint) => [`${revision} ${'x'.repeat(size)}`];
    api.rows.write('s1', 0n, big(0n));
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.pause();
    socket.write('GET /v1/sessions/s1/todos/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
    while (streams().size === 0) await new Promise((resolve) => setImmediate(resolve));

    const before = process.memoryUsage().arrayBuffers;
    const rounds = 2_000n;
    for (let revision = 1n; revision <= rounds; revision += 1n) {
      api.rows.write('s1', revision, big(revision));
      if (revision % 20n === 0n) await new Promise((resolve) => setImmediate(resolve));
    }
    // 400 MB went by; a few frames wait in buffers.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(40_000_000);

    const ids: number[] = [];
    let text = '';
    await new Promise<void>((resolve) => {
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
        for (const [, id] of text.matchAll(/^id: (\d+)\n/gm)) ids.push(Number(id));
        text = text.slice(text.lastIndexOf('\n') + 1);
        if (ids.at(-1) === Number(rounds)) resolve();
      });
      socket.resume();
    });
    socket.destroy();
    expect(ids[0]).toBe(0);
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    expect(ids.length).toBeLessThan(200);
  });
});

describe('the stop', () => {
  it('C 49: ends every stream, refuses new ones and leaves no listener', async () => {
    api.rows.write('s1', 1n, ['a']);
    const clients = await Promise.all(Array.from({ length: 50 }, () => follow()));
    for (const client of clients) await client.next();
    expect(api.rows.listening).toBe(50);

    const began = performance.now();
    const closed = api.app.close();
    for (const client of clients) expect(await client.next()).toBeUndefined();
    await closed;
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(api.rows.listening).toBe(0);
    expect(streams().size).toBe(0);
  });

  it('cuts a client that does not read', async () => {
    api.rows.write('s1', 1n, ['x'.repeat(5_000_000)]);
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.pause();
    socket.write('GET /v1/sessions/s1/todos/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
    while (streams().size === 0) await new Promise((resolve) => setImmediate(resolve));
    const began = performance.now();
    await api.app.close();
    expect(performance.now() - began).toBeLessThan(2_000);
    socket.destroy();
  });
});
