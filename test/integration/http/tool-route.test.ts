/** The tool's route: what the model is told as a result, and what stays an HTTP error. */
import { HistoryApp, born, removed, turn, wrote } from './history-app.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const LIST = { todos: [{ content: 'a', status: 'pending' }] };

let api: HistoryApp;
beforeEach(async () => {
  api = await HistoryApp.open();
  await api.given([born, turn('t1'), wrote('t1', 'P:standing')]);
});
afterEach(() => api.close());

function call(payload: string | object, headers: Record<string, string> = JSON_TYPE, id = 's1') {
  const url = `/v1/sessions/${id}/tools/todo_write`;
  return api.app.inject({ method: 'POST', url, payload, headers });
}

/** A call of turn t1 with the arguments as text, so that any JSON can be sent. */
function callWith(args: string) {
  return call(`{"turnId":"t1","callId":"c1","arguments":${args}}`);
}

function put(text: string) {
  const url = '/v1/sessions/s1/todos';
  return api.app.inject({ method: 'PUT', url, payload: text, headers: JSON_TYPE });
}

const good = { turnId: 't1', callId: 'c1', arguments: LIST };
const large = { todos: [{ content: 'x'.repeat(1_048_576), status: 'pending' }] };

it.each<[string, string | object, Record<string, string>, number, string]>([
  ['no call id', { turnId: 't1', arguments: LIST }, JSON_TYPE, 400, 'invalid_request'],
  ['a turn id that is none', { ...good, turnId: '/' }, JSON_TYPE, 400, 'invalid_request'],
  ['an unknown field', { ...good, todos: [] }, JSON_TYPE, 400, 'invalid_request'],
  ['a body that is not JSON', '{"turnId":', JSON_TYPE, 400, 'invalid_request'],
  ['If-Match', good, { ...JSON_TYPE, 'if-match': '"0"' }, 412, 'revision_conflict'],
  ['a body too large', { ...good, arguments: large }, JSON_TYPE, 413, 'body_too_large'],
  ['a body of text', '{}', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
])('%s is an HTTP error, for the caller to handle', async (_, payload, headers, status, code) => {
  const answer = await call(payload, headers);
  expect(answer.statusCode).toBe(status);
  expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
  expect(answer.json()).toMatchObject({ code, status });
  expect(answer.json()).not.toHaveProperty('isError');
});

it('a session that cannot be read is an HTTP error: the model cannot repair it', async () => {
  await api.given([{ type: 'turn/start', data: {} }]);
  const answer = await call(good);
  expect(answer.statusCode).toBe(503);
  expect(answer.headers['retry-after']).toMatch(/^\d+$/);
  expect(answer.json()).toMatchObject({ code: 'session_unreadable' });
  expect(answer.json()).not.toHaveProperty('isError');
});

it.each([
  ['a turn that is not open', { turnId: 't0' }, 's1', 'Turn t1 is open, not t0'],
  ['a session that is not there', {}, 'none', 'There is no such session'],
  ['a session that was deleted', {}, 'gone', 'The session was deleted'],
  ['a list that is not valid', { arguments: { todos: [{}] } }, 's1', '- todos[0].content'],
] as const)('%s is told to the model', async (_, differs, session, part) => {
  await api.given([born, removed], 'gone');
  const answer = await call({ ...good, ...differs }, JSON_TYPE, session);
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toMatchObject({ isError: true, content: [{ type: 'text' }] });
  expect(answer.body).toContain(part);
});

describe('names that objects know', () => {
  const unknown = 'is not a known field';
  it.each([
    ['__proto__', '{"__proto__":{"polluted":1},"todos":[]}'],
    ['constructor', '{"constructor":{"prototype":{"polluted":1}},"todos":[]}'],
    ['todos[0].__proto__', itemWith('"__proto__":{"polluted":1}')],
    ['todos[0].__proto__', itemWith('"id":"1","\\u005f_proto__":{"polluted":1}')],
    ['todos[0].constructor', itemWith('"constructor":{"prototype":{"polluted":1}}')],
  ])('%s in arguments is named to the model: %s', async (path, args) => {
    for (const sent of [args, JSON.stringify(args)]) {
      const answer = await callWith(sent);
      expect(answer.statusCode).toBe(200);
      expect(answer.json()).toMatchObject({ isError: true });
      expect(answer.body).toContain(`- ${path} ${unknown}`);
    }
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect((await api.page()).items).toHaveLength(1);
  });

  it.each([
    ['todos[0].__proto__', itemWith('"__proto__":{"polluted":1}')],
    ['todos[0].constructor', itemWith('"constructor":{"prototype":{"polluted":1}}')],
  ])('%s in a list that is put is refused by its name', async (path, body) => {
    const answer = await put(`{"turnId":"t1",${body.slice(1)}`);
    expect(answer.statusCode).toBe(422);
    const errors = [{ path, message: expect.stringContaining(unknown) as string }];
    expect(answer.json()).toMatchObject({ code: 'invalid_todos', errors });
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it.each([
    ['__proto__', '{"__proto__":{"turnId":"t1"},"turnId":"t1","todos":[]}'],
    ['constructor', '{"constructor":{"prototype":{"polluted":1}},"turnId":"t1","todos":[]}'],
  ])('%s in a body is refused by its name', async (path, body) => {
    const answer = await put(body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({
      code: 'invalid_request',
      errors: [{ path, message: unknown }],
    });
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('__proto__ lends a body nothing that it does not have', async () => {
    const answer = await put('{"__proto__":{"turnId":"t1","todos":[]}}');
    expect(answer.statusCode).toBe(400);
    expect((await api.page()).items).toHaveLength(1);
  });

  it('a byte order mark before the body is passed over', async () => {
    expect((await put('\ufeff{"turnId":"t1","todos":[]}')).statusCode).toBe(200);
  });
});

/** Arguments with one item that has these fields, too. */
function itemWith(fields: string): string {
  return `{"todos":[{"content":"a","status":"pending",${fields}}]}`;
}
