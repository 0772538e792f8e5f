/** A server with auth: who comes in, how far, and for how long. */
import { request } from 'node:http';
import { SignJWT } from 'jose';
import { z } from 'zod';
import type { Answer } from './running-server.js';
import { RunningServer } from './running-server.js';

const SECRET = 'a secret of thirty-two bytes or so, for tests';
const ALL = 'todos:read todos:write sessions:delete metrics admin';

let server: RunningServer;
beforeAll(async () => {
  server = await RunningServer.start({ PLANLOG_JWT_SECRET: SECRET });
});
afterAll(() => server.stop());

interface Claims {
  readonly tenant?: string;
  readonly scope?: string;
  readonly actor?: string;
  readonly session?: string;
  readonly exp?: number;
}

function token({ exp, ...claims }: Claims = {}): Promise<string> {
  const jwt = new SignJWT({ tenant: 'acme', scope: ALL, actor: 'agent', ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('u1');
  return jwt.setExpirationTime(exp ?? '1h').sign(Buffer.from(SECRET));
}

async function as(claims: Claims, method: string, path: string, body?: unknown): Promise<Answer> {
  const authorization = `Bearer ${await token(claims)}`;
  return server.call(method, path, body, { authorization });
}

function codeOf({ body }: Answer): string {
  return z.object({ code: z.string() }).parse(body).code;
}

async function begin(session: string, claims: Claims = {}): Promise<void> {
  const path = `/v1/sessions/${session}`;
  expect((await as(claims, 'POST', `${path}/turns`, { turnId: 't1' })).status).toBe(201);
  const todos = [{ content: `of ${claims.tenant ?? 'acme'}`, status: 'pending' }];
  expect((await as(claims, 'PUT', `${path}/todos`, { turnId: 't1', todos })).status).toBe(200);
}

describe('every route', () => {
  const operations = z.object({
    paths: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string() }))),
  });
  const isOpen = (path: string): boolean =>
    /^\/(health\/(live|ready)|docs(\/.*)?|openapi\.json)$/.test(path);

  async function routes(): Promise<[method: string, path: string][]> {
    const { paths } = operations.parse((await server.call('GET', '/openapi.json')).body);
    return Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method): [string, string] => [
        method.toUpperCase(),
        path.replace(/\{[^}]*\}/g, 'x1'),
      ]),
    );
  }

  it('needs a token, but for those that show no data', async () => {
    const all = await routes();
    expect(all.length).toBeGreaterThan(10);
    for (const [method, path] of all) {
      const { status } = await fetch(server.planlog.url + path, { method });
      expect([method, path, status === 401]).toEqual([method, path, !isOpen(path)]);
    }
  });

  it('needs a scope', async () => {
    for (const [method, path] of await routes()) {
      if (isOpen(path)) continue;
      const answer = await as({ scope: 'openid' }, method, path);
      expect([method, path, answer.status, codeOf(answer)]).toEqual([
        method,
        path,
        403,
        'forbidden',
      ]);
    }
  });

  it('keeps a token of one session out of whatever is not that session', async () => {
    for (const [method, path] of await routes()) {
      if (isOpen(path) || path === '/v1/tools/todo_write') continue;
      const answer = await as({ session: 'other' }, method, path);
      expect([method, path, answer.status, codeOf(answer)]).toEqual([
        method,
        path,
        403,
        'forbidden',
      ]);
    }
  });
});

describe('a token', () => {
  it('is asked for before anything else is looked at', async () => {
    const answer = await server.call('PUT', '/v1/sessions/$bad$/todos?x=1', 'no list', {
      'idempotency-key': 'k1',
      'if-match': 'nonsense',
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('idempotency-key')).toBe('k1');
  });

  it('is asked for before a body is read', async () => {
    const answer = await fetch(`${server.planlog.url}/v1/sessions/s1/todos`, {
      method: 'PUT',
      headers: { 'content-type': 'text/plain' },
      body: 'x'.repeat(2_000_000),
    });
    expect(answer.status).toBe(401);
  });

  it.each([
    ['none', undefined],
    ['another scheme', 'Basic dTpw'],
    ['no text', 'Bearer '],
    ['two texts', 'Bearer a b'],
    ['no token', 'Bearer x.y.z'],
  ])('is not %s: 401 says the same for each', async (_what, authorization) => {
    const answer = await server.call('GET', '/v1/sessions/s1/todos', undefined, {
      ...(authorization === undefined ? {} : { authorization }),
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(answer.body).toEqual({
      type: 'urn:planlog:problem:unauthenticated',
      title: 'Authentication is needed',
      status: 401,
      code: 'unauthenticated',
      detail: 'a valid bearer token is needed in the header Authorization',
    });
  });

  it.each<[string, Claims]>([
    ['is over', { exp: Math.floor(Date.now() / 1_000) - 5 }],
    ['has a tenant of another form', { tenant: 'a.b' }],
    ['has an unknown kind of actor', { actor: 'root' }],
  ])('is refused where it %s', async (_what, claims) => {
    const answer = await as(claims, 'GET', '/v1/sessions/s1/todos');
    expect([answer.status, codeOf(answer)]).toEqual([401, 'unauthenticated']);
  });

  it('is taken whatever the case of its scheme', async () => {
    const authorization = `bEARER ${await token()}`;
    const answer = await server.call('GET', '/v1/tools/todo_write', undefined, { authorization });
    expect(answer.status).toBe(200);
  });
});

describe('a scope', () => {
  it.each([
    ['POST', '/v1/sessions/sc/turns', 'todos:write'],
    ['POST', '/v1/sessions/sc/turns/t1/end', 'todos:write'],
    ['PUT', '/v1/sessions/sc/todos', 'todos:write'],
    ['POST', '/v1/sessions/sc/fork', 'todos:write'],
    ['POST', '/v1/sessions/sc/tools/todo_write', 'todos:write'],
    ['DELETE', '/v1/sessions/sc', 'sessions:delete'],
    ['GET', '/v1/sessions/sc/todos', 'todos:read'],
    ['GET', '/v1/sessions/sc/todos/history', 'todos:read'],
    ['GET', '/v1/tools/todo_write', 'todos:read'],
  ])('%s %s needs %s and no other', async (method, path, scope) => {
    const others = ALL.split(' ').filter((each) => each !== scope);
    const body = method === 'GET' ? undefined : {};
    expect((await as({ scope: others.join(' ') }, method, path, body)).status).toBe(403);
    expect((await as({ scope }, method, path, body)).status).not.toBe(403);
  });
});

describe('an actor', () => {
  it('that is no agent writes no list, whatever its header says', async () => {
    await begin('act');
    const authorization = `Bearer ${await token({ actor: 'user' })}`;
    const todos = { turnId: 't1', todos: [] };
    const headers = { authorization, 'planlog-actor': 'agent' };
    const answer = await server.call('PUT', '/v1/sessions/act/todos', todos, headers);
    expect([answer.status, codeOf(answer)]).toEqual([403, 'actor_not_allowed']);
  });

  it('is what the history tells', async () => {
    await begin('told');
    const { body } = await as({}, 'GET', '/v1/sessions/told/todos/history');
    expect(body).toMatchObject({ items: [{ actor: { kind: 'agent', subject: 'u1' } }] });
  });
});

describe('a tenant', () => {
  it('sees its own session under an id that another has, too', async () => {
    await begin('both', { tenant: 'acme' });
    await begin('both', { tenant: 'globex' });
    const { body } = await as({ tenant: 'globex' }, 'GET', '/v1/sessions/both/todos');
    expect(body).toMatchObject({ todos: [{ content: 'of globex' }] });
  });

  it('lists its own sessions and no other', async () => {
    await begin('listed', { tenant: 'initech' });
    await begin('listed', { tenant: 'initech_2' });
    const path = '/v1/sessions/listed/todos';
    const last = await as({ tenant: 'initech_2' }, 'PUT', path, { turnId: 't1', todos: [] });
    const after = last.headers.get('planlog-position') ?? '';
    await as({ tenant: 'initech' }, 'GET', `${path}?after=${after}`);
    const { body } = await as({ tenant: 'initech' }, 'GET', '/v1/sessions');
    expect(body).toMatchObject({
      items: [{ sessionId: 'listed', revision: '2', counts: { pending: 1 } }],
      totals: { sessions: 1, pending: 1 },
    });
  });

  it('cannot tell the session of another from one that is not there', async () => {
    await begin('secret', { tenant: 'acme' });
    const calls: [string, string, unknown?][] = [
      ['GET', '/v1/sessions/ID/todos'],
      ['GET', '/v1/sessions/ID/todos/history'],
      ['PUT', '/v1/sessions/ID/todos', { turnId: 't1', todos: [] }],
      ['POST', '/v1/sessions/ID/turns/t1/end', { outcome: 'completed' }],
      ['POST', '/v1/sessions/ID/fork', { sessionId: 'mine' }],
      ['DELETE', '/v1/sessions/ID'],
    ];
    for (const [method, path, body] of calls) {
      const there = await as({ tenant: 'globex' }, method, path.replace('ID', 'secret'), body);
      const missing = await as({ tenant: 'globex' }, method, path.replace('ID', 'nobody'), body);
      expect(there.status).toBe(404);
      expect(JSON.stringify(there.body).replaceAll('secret', 'nobody')).toBe(
        JSON.stringify(missing.body),
      );
    }
  });
});

describe('a token of one session', () => {
  it('reads and writes it, and does not fork it', async () => {
    await begin('mine', { session: 'mine' });
    const path = '/v1/sessions/mine';
    expect((await as({ session: 'mine' }, 'GET', `${path}/todos`)).status).toBe(200);
    expect((await as({ session: 'mine' }, 'GET', '/v1/tools/todo_write')).status).toBe(200);
    const fork = await as({ session: 'mine' }, 'POST', `${path}/fork`, { sessionId: 'child' });
    expect([fork.status, codeOf(fork)]).toEqual([403, 'forbidden']);
  });

  it('does not reach another by another spelling of its path', async () => {
    await begin('near');
    for (const path of ['/v1/sessions/%6eear/todos', '/v1/sessions/mine%2F..%2Fnear/todos']) {
      const raw = await rawStatus(path, {
        authorization: `Bearer ${await token({ session: 'mine' })}`,
      });
      expect([path, raw]).toEqual([path, 403]);
    }
  });
});

describe('a stream', () => {
  it('ends when its token does', async () => {
    await begin('stream');
    const exp = Math.floor(Date.now() / 1_000) + 2;
    const authorization = `Bearer ${await token({ exp })}`;
    const answer = await fetch(`${server.planlog.url}/v1/sessions/stream/todos/events`, {
      headers: { authorization },
      signal: AbortSignal.timeout(15_000),
    });
    expect(answer.status).toBe(200);
    // It ends by itself, and not before.
    expect(await answer.text()).toContain('event: todos');
    expect(Date.now()).toBeGreaterThanOrEqual(exp * 1_000);
  });
});

it('lets anybody ask for health and for the documentation', async () => {
  for (const path of ['/health/live', '/health/ready', '/openapi.json', '/docs']) {
    expect((await fetch(server.planlog.url + path)).status).toBe(200);
  }
});

it('answers to any host name: only a server without auth is bound to this machine', async () => {
  const headers = { host: 'planlog.example.org', origin: 'https://pages.example.org' };
  expect(await rawStatus('/health/live', headers)).toBe(200);
});

/** As sent: `fetch` would tidy the path and refuse to set Host. */
function rawStatus(path: string, headers: Record<string, string>): Promise<number> {
  const { hostname, port } = new URL(server.planlog.url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}
