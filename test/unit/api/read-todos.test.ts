/** GET todos: the view, its conditions and its waits. */
import { openApiApp, type ApiApp } from './api-app.js';

let api: ApiApp;
beforeEach(async () => {
  api = await openApiApp();
});
afterEach(() => api.app.close());

const read = (headers: Record<string, string> = {}, query = '', id = 's1') =>
  api.app.inject({ method: 'GET', url: `/v1/sessions/${id}/todos${query}`, headers });

const PARKED = { stream: 's', revision: 4n, reason: 'r', at: new Date(0).toISOString() };

describe('the view', () => {
  it('is answered whole, with its tag', async () => {
    api.rows.write('s1', 9_007_199_254_740_993n, ['a', 'b']);
    const answer = await read();
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      etag: '"9007199254740993"',
      'cache-control': 'private, no-cache',
      'content-type': 'application/json; charset=utf-8',
    });
    expect(answer.headers).not.toHaveProperty('idempotency-key');
    expect(answer.json()).toMatchObject({
      sessionId: 's1',
      state: 'current',
      revision: '9007199254740993',
      counts: { pending: 2, inProgress: 0, completed: 0, total: 2 },
      epoch: 0,
    });
  });

  it('has the epoch in its tag once there is one', async () => {
    api.rows.write('s1', 3n, [], { epoch: 2 });
    expect((await read()).headers.etag).toBe('"3.2"');
  });

  it('is answered also while the session is parked', async () => {
    api.rows.write('s1', 3n, ['a'], { parked: PARKED });
    const answer = await read();
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ parked: true });
  });

  it('row 50: keeps the order of a list of twelve', async () => {
    const contents = Array.from({ length: 12 }, (_, index) => `item ${index + 1}`);
    api.rows.write('s1', 3n, contents);
    const { todos } = (await read()).json<{ todos: { content: string }[] }>();
    expect(todos.map((todo) => todo.content)).toEqual(contents);
  });

  it('answers HEAD without a body', async () => {
    api.rows.write('s1', 3n, ['a']);
    const answer = await api.app.inject({ method: 'HEAD', url: '/v1/sessions/s1/todos' });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers.etag).toBe('"3"');
    expect(answer.body).toBe('');
  });

  it('is 404 for a session that never was, 410 for a deleted one', async () => {
    api.rows.delete('gone', 7n);
    const missing = await read();
    expect(missing.statusCode).toBe(404);
    expect(missing.json()).toMatchObject({ code: 'session_not_found' });
    const gone = await read({}, '', 'gone');
    expect(gone.statusCode).toBe(410);
    expect(gone.json()).toMatchObject({ code: 'session_deleted' });
  });

  it.each([
    ['129 characters', 'x'.repeat(129)],
    ['a slash', 'a%2Fb'],
    ['a leading dash', '-x'],
  ])('is 400 for an id with %s', async (_what, id) => {
    for (const route of ['', '/events']) {
      const answer = await api.app.inject({
        method: 'GET',
        url: `/v1/sessions/${id}/todos${route}`,
      });
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ errors: [{ path: 'sessionId' }] });
    }
  });

  it('takes an id of 128 characters', async () => {
    const id = 'x'.repeat(128);
    api.rows.write(id, 1n, []);
    expect((await read({}, '', id)).json()).toMatchObject({ sessionId: id });
  });
});

describe('If-None-Match', () => {
  it.each([
    ['"3"', 0, 304],
    ['W/"3"', 0, 304],
    ['"3.0"', 0, 304],
    ['"1", "3"', 0, 304],
    ['"x", W/"3" ,"9"', 0, 304],
    ['*', 0, 304],
    ['"2"', 0, 200],
    ['"3"', 1, 200],
    ['"3.1"', 1, 304],
    ['"3.1"', 0, 200],
    ['"abc"', 0, 200],
    ['3', 0, 200],
    ['', 0, 200],
  ])('%s at epoch %i is %i', async (header, epoch, status) => {
    api.rows.write('s1', 3n, ['a'], { epoch });
    const answer = await read({ 'if-none-match': header });
    expect(answer.statusCode).toBe(status);
    expect(answer.headers.etag).toBe(epoch === 0 ? '"3"' : `"3.${epoch}"`);
    expect(answer.headers['cache-control']).toBe('private, no-cache');
    expect(answer.body === '').toBe(status === 304);
  });

  it('* does not turn an absent session into a 304', async () => {
    expect((await read({ 'if-none-match': '*' })).statusCode).toBe(404);
  });
});

describe('after', () => {
  it.each([
    ['?after=5', 5_000],
    ['?after=5&timeoutMs=0', 0],
    ['?after=5&timeoutMs=30000', 30_000],
    ['?timeoutMs=7&after=5', 7],
  ])('%s waits %i ms', async (query, timeoutMs) => {
    api.rows.write('s1', 3n, ['a']);
    expect((await read({}, query)).statusCode).toBe(200);
    expect(api.rows.waits).toMatchObject([{ position: { commit: 5n, prepare: 5n }, timeoutMs }]);
  });

  it.each([
    ['?after=', 'after'],
    ['?after=x', 'after'],
    ['?after=-1', 'after'],
    ['?after=05', 'after'],
    ['?after=1&after=2', 'after'],
    ['?after=99999999999999999999', 'after'],
    ['?after=%zz', 'after'],
    ['?after=5&timeoutMs=30001', 'timeoutMs'],
    ['?after=5&timeoutMs=-1', 'timeoutMs'],
    ['?after=5&timeoutMs=1.5', 'timeoutMs'],
    ['?after=5&timeoutMs=', 'timeoutMs'],
    ['?timeoutMs=x', 'timeoutMs'],
    ['?after=5&timeoutMs=1&timeoutMs=2', 'timeoutMs'],
  ])('%s is refused', async (query, path) => {
    const answer = await read({}, query);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ code: 'invalid_request', errors: [{ path }] });
    expect(api.rows.waits).toHaveLength(0);
  });

  it('is 504 where the read model does not come', async () => {
    api.rows.write('s1', 3n, ['a']);
    api.rows.reach = () => Promise.resolve(false);
    const answer = await read({}, '?after=5');
    expect(answer.statusCode).toBe(504);
    expect(answer.json()).toMatchObject({ code: 'projection_behind' });
  });

  it.each([true, false])('is 503 for a parked session, reached: %s', async (reached) => {
    api.rows.write('s1', 3n, ['a'], { parked: PARKED });
    api.rows.reach = () => Promise.resolve(reached);
    const answer = await read({}, '?after=5');
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toMatch(/^\d+$/);
    expect(answer.json()).toMatchObject({ code: 'session_parked' });
  });

  it('shows what was committed while it waited', async () => {
    api.rows.write('s1', 3n, ['a']);
    api.rows.reach = () => {
      api.rows.write('s1', 4n, ['b']);
      return Promise.resolve(true);
    };
    expect((await read({}, '?after=5')).headers.etag).toBe('"4"');
  });

  it('gives up when the server stops', async () => {
    api.rows.reach = (signal) =>
      new Promise((resolve) => {
        signal?.addEventListener('abort', () => {
          resolve(false);
        });
        void api.app.close();
      });
    const answer = await read({}, '?after=5&timeoutMs=30000');
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({ code: 'store_unavailable' });
  });

  it('gives up when the client leaves', async () => {
    const url = await api.listen();
    const leaving = new AbortController();
    const aborted = new Promise<void>((resolve) => {
      api.rows.reach = (signal) =>
        new Promise((settle) => {
          signal?.addEventListener('abort', () => {
            settle(false);
            resolve();
          });
          leaving.abort();
        });
    });
    await expect(
      fetch(`${url}/v1/sessions/s1/todos?after=5&timeoutMs=30000`, { signal: leaving.signal }),
    ).rejects.toThrow();
    await aborted;
  });
});

describe('health', () => {
  const get = (url: string) => api.app.inject({ method: 'GET', url });

  it('is live', async () => {
    const answer = await get('/health/live');
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({ status: 'live' });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('is ready when every check is', async () => {
    api.checks = [{ name: 'session-todos', ready: true, state: 'live' }];
    const answer = await get('/health/ready');
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      status: 'ready',
      checks: [{ name: 'session-todos', state: 'live' }],
    });
  });

  it('is not ready when one is not', async () => {
    api.checks = [{ name: 'session-todos', ready: false, state: 'catching-up' }];
    const answer = await get('/health/ready');
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toMatch(/^\d+$/);
    expect(answer.json()).toMatchObject({
      code: 'not_ready',
      detail: 'session-todos is catching-up',
    });
  });
});
