/** The command routes: what reaches the bus, and what comes back. */
import {
  DeleteSession,
  EndTurn,
  ForkSession,
  StartTurn,
  WriteTodos,
} from '../../../src/commands/session/session-commands.js';
import { openApiApp, RECEIPT, type ApiApp } from './api-app.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const RECEIPT_BODY = {
  sessionId: 's1',
  turnId: 't1',
  revision: '9007199254740993',
  position: '12-11',
};
const session = { tenant: 'default', sessionId: 's1' };

interface Call {
  readonly name: string;
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly payload?: object;
  readonly status: number;
  readonly type: new (...args: never[]) => unknown;
  readonly input?: object;
}

const CALLS: Call[] = [
  {
    name: 'StartTurn',
    method: 'POST',
    url: '/v1/sessions/s1/turns',
    payload: { turnId: 't1', supersede: 't0' },
    status: 201,
    type: StartTurn,
    input: { turnId: 't1', supersede: 't0' },
  },
  {
    name: 'EndTurn',
    method: 'POST',
    url: '/v1/sessions/s1/turns/t1/end',
    payload: { outcome: 'aborted' },
    status: 200,
    type: EndTurn,
    input: { turnId: 't1', outcome: 'aborted' },
  },
  {
    name: 'WriteTodos',
    method: 'PUT',
    url: '/v1/sessions/s1/todos',
    payload: { turnId: 't1', todos: [{ content: 'a', status: 'pending' }] },
    status: 200,
    type: WriteTodos,
    input: { turnId: 't1', todos: [{ content: 'a', status: 'pending' }] },
  },
  {
    name: 'ForkSession',
    method: 'POST',
    url: '/v1/sessions/s1/fork',
    payload: { sessionId: 's2' },
    status: 201,
    type: ForkSession,
    input: { sessionId: 's2' },
  },
  {
    name: 'DeleteSession',
    method: 'DELETE',
    url: '/v1/sessions/s1',
    status: 204,
    type: DeleteSession,
  },
];

let api: ApiApp;
beforeAll(async () => {
  api = await openApiApp();
});
beforeEach(() => {
  api.sent.length = 0;
  api.answer = () => Promise.resolve(RECEIPT);
});
afterAll(() => api.app.close());

describe.each(CALLS)('$name', ({ method, url, payload, status, type, input }) => {
  const send = (headers: Record<string, string> = {}) =>
    api.app.inject({ method, url, headers, ...(payload && { payload }) });

  it('sends the command and answers its receipt', async () => {
    const answer = await send({ 'idempotency-key': 'k1' });

    expect(answer.statusCode).toBe(status);
    expect(answer.headers['idempotency-key']).toBe('k1');
    expect(answer.headers['planlog-position']).toBe('12-11');
    expect(answer.body === '' ? RECEIPT_BODY : answer.json()).toEqual(RECEIPT_BODY);
    expect(api.sent).toHaveLength(1);
    expect(api.sent[0]).toBeInstanceOf(type);
    expect(api.sent[0]).toMatchObject({
      session,
      ...(input && { input }),
      envelope: { actor: { kind: 'agent', subject: 'local' }, commandId: 'k1' },
    });
    expect(api.sent[0]?.envelope.ifMatch).toBeUndefined();
    expect(api.sent[0]?.envelope.traceparent).toBeUndefined();
  });

  it('makes a command id where there is none, and returns it', async () => {
    const answer = await send();
    expect(answer.headers['idempotency-key']).toMatch(UUID);
    expect(api.sent[0]?.envelope.commandId).toBe(answer.headers['idempotency-key']);
  });

  it.each([
    ['"3"', [3n]],
    ['W/"3"', [3n]],
    ['"3.2"', [3n]],
    ['"1", W/"2.1" ,"18"', [1n, 2n, 18n]],
    ['"9007199254740993"', [9_007_199_254_740_993n]],
    ['*', '*'],
  ])('understands If-Match %s', async (header, expected) => {
    expect((await send({ 'if-match': header })).statusCode).toBe(status);
    expect(api.sent[0]?.envelope.ifMatch).toEqual(expected);
  });

  it.each(['3', '"a"', '"3', '"03"', '"-1"', '"3.x"', '"3" "4"', '"3", *', '""', '', 'w/"3"', ','])(
    'refuses If-Match %j',
    async (header) => {
      const answer = await send({ 'if-match': header, 'idempotency-key': 'k1' });
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({
        code: 'invalid_request',
        errors: [{ path: 'If-Match' }],
      });
      expect(answer.headers['idempotency-key']).toBe('k1');
      expect(api.sent).toHaveLength(0);
    },
  );

  it.each(['', 'a b', 'a, b', 'ü', 'x'.repeat(256), '\t'])('refuses the key %j', async (key) => {
    const answer = await send({ 'idempotency-key': key });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({
      code: 'invalid_request',
      errors: [{ path: 'Idempotency-Key' }],
    });
    expect(answer.headers).not.toHaveProperty('idempotency-key');
    expect(api.sent).toHaveLength(0);
  });

  it('accepts a key of 255 characters', async () => {
    const key = '~'.repeat(255);
    expect((await send({ 'idempotency-key': key })).headers['idempotency-key']).toBe(key);
  });

  it.each(['agent', 'user', 'plan', 'goal', 'delegated', 'plugin', 'mcp'])(
    'passes on the actor %s',
    async (kind) => {
      await send({ 'planlog-actor': kind });
      expect(api.sent[0]?.envelope.actor).toEqual({ kind, subject: 'local' });
    },
  );

  it.each(['Agent', 'robot', '', 'agent, user'])('refuses the actor %j', async (kind) => {
    const answer = await send({ 'planlog-actor': kind });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ errors: [{ path: 'Planlog-Actor' }] });
    expect(answer.headers['idempotency-key']).toMatch(UUID);
  });

  const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  it.each([
    [trace, trace],
    [trace.toUpperCase(), undefined],
    [trace.replace('00-', 'ff-'), undefined],
    [`00-${'0'.repeat(32)}-b7ad6b7169203331-01`, undefined],
    [`00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01`, undefined],
    ['nonsense', undefined],
  ])('takes traceparent %s as %s', async (header, expected) => {
    expect((await send({ traceparent: header })).statusCode).toBe(status);
    expect(api.sent[0]?.envelope.traceparent).toBe(expected);
  });

  it.each([
    ['129 characters', 'x'.repeat(129)],
    ['a leading dot', '.x'],
    ['a slash', 'a%2Fb'],
    ['a space', 'a%20b'],
    ['a NUL', 'a%00'],
    ['a letter that is not ASCII', '%C3%A4'],
    ['10,000 characters', 'x'.repeat(10_000)],
  ])('refuses a session id with %s', async (_what, id) => {
    const answer = await api.app.inject({
      method,
      url: url.replace('s1', id),
      ...(payload && { payload }),
    });
    expect(answer.statusCode).toBe(400);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.json()).toMatchObject({
      code: 'invalid_request',
      errors: [{ path: 'sessionId' }],
    });
    expect(answer.headers['idempotency-key']).toMatch(UUID);
  });

  it.each([
    ['128 characters', 'x'.repeat(128), 'x'.repeat(128)],
    ['percent-encoding', '%73%31', 's1'],
    ['every sign', 'A0._~-', 'A0._~-'],
  ])('accepts a session id with %s', async (_what, inPath, sessionId) => {
    const answer = await api.app.inject({
      method,
      url: url.replace('s1', inPath),
      ...(payload && { payload }),
    });
    expect(answer.statusCode).toBe(status);
    expect(api.sent[0]?.session.sessionId).toBe(sessionId);
  });

  it('answers a malformed path as a problem, with the key', async () => {
    const answer = await api.app.inject({
      method,
      url: url.replace('s1', '%zz'),
      headers: { 'idempotency-key': 'k1' },
    });
    expect(answer.statusCode).toBe(400);
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.json()).toMatchObject({ code: 'invalid_request' });
    expect(answer.headers['idempotency-key']).toBe('k1');
  });
});

describe('bodies', () => {
  it.each([
    ['no body', {}],
    ['an empty body of JSON type', { headers: { 'content-type': 'application/json' } }],
    ['an empty object', { payload: {} }],
  ])('starts a turn with %s', async (_what, request) => {
    const answer = await api.app.inject({
      method: 'POST',
      url: '/v1/sessions/s1/turns',
      ...request,
    });
    expect(answer.statusCode).toBe(201);
    expect(api.sent[0]).toMatchObject({ input: {} });
  });

  it('passes supersede: true on', async () => {
    await api.app.inject({
      method: 'POST',
      url: '/v1/sessions/s1/turns',
      payload: { supersede: true },
    });
    expect(api.sent[0]).toMatchObject({ input: { supersede: true } });
  });

  it('keeps 128 characters of a turn id, and refuses 129', async () => {
    const end = (turnId: string) =>
      api.app.inject({
        method: 'POST',
        url: `/v1/sessions/s1/turns/${turnId}/end`,
        payload: { outcome: 'completed' },
      });
    expect((await end('x'.repeat(128))).statusCode).toBe(200);
    const refused = await end('x'.repeat(129));
    expect(refused.statusCode).toBe(400);
    expect(refused.json()).toMatchObject({ errors: [{ path: 'turnId' }] });
  });

  it.each([undefined, null, 'abc', [1, null], { todos: 1 }])(
    'hands todos %j to the command as they are',
    async (todos) => {
      const answer = await api.app.inject({
        method: 'PUT',
        url: '/v1/sessions/s1/todos',
        payload: { turnId: 't1', todos },
      });
      expect(answer.statusCode).toBe(200);
      expect(api.sent[0]).toMatchObject({ input: { todos } });
    },
  );

  const turns = '/v1/sessions/s1/turns';
  const end = '/v1/sessions/s1/turns/t1/end';
  const todos = '/v1/sessions/s1/todos';
  const fork = '/v1/sessions/s1/fork';
  it.each<['POST' | 'PUT', string, unknown, string[]]>([
    ['POST', turns, { turnid: 't1' }, ['turnid']],
    ['POST', turns, { turnId: null }, ['turnId']],
    ['POST', turns, { turnId: 5 }, ['turnId']],
    ['POST', turns, { turnId: 'x'.repeat(129) }, ['turnId']],
    ['POST', turns, { supersede: false }, ['supersede']],
    ['POST', turns, { supersede: '' }, ['supersede']],
    ['POST', turns, [], ['body']],
    ['POST', turns, null, ['body']],
    ['POST', turns, 5, ['body']],
    ['POST', end, undefined, ['body']],
    ['POST', end, {}, ['outcome']],
    ['POST', end, { outcome: 'superseded' }, ['outcome']],
    ['POST', end, { outcome: 'completed', turnId: 't1' }, ['turnId']],
    ['PUT', todos, undefined, ['body']],
    ['PUT', todos, { todos: [] }, ['turnId']],
    ['PUT', todos, { turnId: 't1', todos: [], merge: true, x: 1 }, ['merge', 'x']],
    ['PUT', todos, [], ['body']],
    ['POST', fork, {}, ['sessionId']],
    ['POST', fork, { sessionId: '' }, ['sessionId']],
    ['POST', fork, { sessionId: 's2', turnId: 't1' }, ['turnId']],
  ])('%s %s refuses %j', async (method, url, body, paths) => {
    const answer = await api.app.inject({
      method,
      url,
      headers: { 'idempotency-key': 'k1', 'content-type': 'application/json' },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
    expect(answer.statusCode).toBe(400);
    const problem = answer.json<{ code: string; errors: { path: string; message: string }[] }>();
    expect(problem.code).toBe('invalid_request');
    expect(problem.errors.map((fault) => fault.path)).toEqual(paths);
    expect(problem.errors.every((fault) => fault.message !== '')).toBe(true);
    expect(answer.headers['idempotency-key']).toBe('k1');
    expect(api.sent).toHaveLength(0);
  });

  it('puts counts and hints into the receipt where there are some', async () => {
    const counts = { pending: 3, inProgress: 0, completed: 0, total: 3 };
    const hints = ['3 tasks remain and none is in progress'];
    api.answer = () => Promise.resolve({ ...RECEIPT, turnId: null, counts, hints });
    const answer = await api.app.inject({
      method: 'PUT',
      url: todos,
      payload: { turnId: 't1', todos: [] },
    });
    expect(answer.json()).toEqual({ ...RECEIPT_BODY, turnId: null, counts, hints });
  });
});
