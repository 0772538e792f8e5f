/** Every error code has its status, and every error is a problem, whoever raises it. */
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { PROBLEM_KINDS } from '../../../src/api/problem/problem-codes.js';
import { CommandFailedError, CommandRefusedError } from '../../../src/commands/refusals.js';
import { UnavailableError } from '../../../src/events/log/errors.js';
import { openApiApp, RECEIPT, type ApiApp } from './api-app.js';

let api: ApiApp;
let url: string;
beforeAll(async () => {
  api = await openApiApp({ maxBodyBytes: 65_536 });
  url = await api.listen();
});
beforeEach(() => {
  api.answer = () => Promise.resolve(RECEIPT);
});
afterAll(() => api.app.close());

const startTurn = () =>
  api.app.inject({
    method: 'POST',
    url: '/v1/sessions/s1/turns',
    headers: { 'idempotency-key': 'k1' },
  });

describe('refusals and failures', () => {
  it.each([
    ['invalid_request', 400],
    ['actor_not_allowed', 403],
    ['session_not_found', 404],
    ['turn_already_open', 409],
    ['turn_not_open', 409],
    ['turn_mismatch', 409],
    ['turn_id_reused', 409],
    ['session_exists', 409],
    ['idempotency_conflict', 409],
    ['session_deleted', 410],
    ['revision_conflict', 412],
    ['invalid_todos', 422],
    ['too_many_in_progress', 422],
    ['session_unreadable', 503],
  ] as const)('%s is %i', async (code, status) => {
    api.answer = () => Promise.reject(new CommandRefusedError({ code, detail: 'what to do' }));
    const answer = await startTurn();

    expect(answer.statusCode).toBe(status);
    expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['idempotency-key']).toBe('k1');
    expect(answer.json()).toEqual({
      type: `urn:planlog:problem:${code}`,
      title: PROBLEM_KINDS[code].title,
      status,
      code,
      detail: 'what to do',
    });
    expect(answer.headers['retry-after']).toEqual(
      status === 503 ? expect.stringMatching(/^\d+$/) : undefined,
    );
  });

  it.each(['store_unavailable', 'outcome_unknown', 'contended', 'overloaded'] as const)(
    '%s is 503 with Retry-After',
    async (code) => {
      api.answer = () => Promise.reject(new CommandFailedError(code, 'try again'));
      const answer = await startTurn();
      expect(answer.statusCode).toBe(503);
      expect(answer.headers['retry-after']).toMatch(/^\d+$/);
      expect(answer.json()).toMatchObject({ code, detail: 'try again' });
    },
  );

  it('shows the input faults, the open turn and the present revision', async () => {
    const errors = [{ path: 'todos[1].status', message: 'one of pending, in_progress, completed' }];
    const refusal = { code: 'revision_conflict', detail: 'd', errors, openTurnId: 't2' } as const;
    api.answer = () =>
      Promise.reject(
        new CommandRefusedError({ ...refusal, currentRevision: 9_007_199_254_740_993n }),
      );
    expect((await startTurn()).json()).toMatchObject({
      errors,
      openTurnId: 't2',
      currentRevision: '9007199254740993',
    });
    api.answer = () =>
      Promise.reject(new CommandRefusedError({ ...refusal, currentRevision: null }));
    expect((await startTurn()).json()).toMatchObject({ currentRevision: null });
  });

  it('answers a log that cannot be reached as store_unavailable', async () => {
    api.answer = () => Promise.reject(new UnavailableError('closed', 'secret path'));
    const answer = await startTurn();
    expect(answer.json()).toMatchObject({ code: 'store_unavailable' });
    expect(answer.body).not.toContain('secret');
  });

  it('tells nothing of a bug', async () => {
    api.answer = () => Promise.reject(new TypeError('secret'));
    const answer = await startTurn();
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toMatchObject({ code: 'internal_error' });
    expect(answer.body).not.toContain('secret');
  });

  it('gives Retry-After with every 503', () => {
    for (const kind of Object.values(PROBLEM_KINDS)) {
      expect(kind.status === 503 ? kind.retryAfter : 1).toBeGreaterThan(0);
    }
  });
});

describe('requests that no handler sees', () => {
  const json = 'application/json';
  it.each<[string, Record<string, string>, string | Buffer, number, string]>([
    ['bad JSON', { 'content-type': json }, '{"turnId":', 400, 'invalid_request'],
    ['JSON with a comma too many', { 'content-type': json }, '{"a":1,}', 400, 'invalid_request'],
    ['a prototype key', { 'content-type': json }, '{"__proto__":{}}', 400, 'invalid_request'],
    [
      'a constructor key',
      { 'content-type': json },
      '{"constructor":{"prototype":{}}}',
      400,
      'invalid_request',
    ],
    [
      'broken UTF-8',
      { 'content-type': json },
      Buffer.from([0x22, 0xff, 0x22]),
      400,
      'invalid_request',
    ],
    [
      'a form',
      { 'content-type': 'application/x-www-form-urlencoded' },
      'a=1',
      415,
      'unsupported_media_type',
    ],
    ['text', { 'content-type': 'text/plain' }, '{}', 415, 'unsupported_media_type'],
    ['XML', { 'content-type': 'application/xml' }, '<a/>', 415, 'unsupported_media_type'],
    ['a type that is none', { 'content-type': 'nonsense' }, '{}', 415, 'unsupported_media_type'],
    [
      'JSON in UTF-16',
      { 'content-type': 'application/json; charset=utf-16' },
      Buffer.from('{}', 'utf16le'),
      415,
      'unsupported_media_type',
    ],
    [
      'JSON that says it is Latin-1',
      { 'content-type': 'application/json;a="; b";Charset="iso-8859-1"' },
      '{}',
      415,
      'unsupported_media_type',
    ],
    ['a large body', { 'content-type': json }, `"${'x'.repeat(65_536)}"`, 413, 'body_too_large'],
    [
      'another length than it says',
      { 'content-type': json, 'content-length': '3' },
      '{"turnId":"t1"}',
      400,
      'invalid_request',
    ],
  ])('%s', async (_what, headers, payload, status, code) => {
    for (const method of ['POST', 'PUT'] as const) {
      const answer = await api.app.inject({
        method,
        url: method === 'POST' ? '/v1/sessions/s1/turns' : '/v1/sessions/s1/todos',
        headers: { ...headers, 'idempotency-key': 'k1' },
        payload,
      });
      expect(answer.statusCode).toBe(status);
      expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
      expect(answer.json()).toMatchObject({ code, status });
      expect(answer.headers['idempotency-key']).toBe('k1');
    }
  });

  it('takes a type with parameters, and in capitals', async () => {
    for (const type of [
      'application/json; charset=utf-8',
      'Application/JSON',
      'application/json;charset="UTF8"',
      'application/json; a="; charset=utf-16"',
    ]) {
      const answer = await api.app.inject({
        method: 'POST',
        url: '/v1/sessions/s1/turns',
        headers: { 'content-type': type },
        payload: '{}',
      });
      expect(answer.statusCode).toBe(201);
    }
  });

  it.each([
    ['GET', '/'],
    ['GET', '/v2/sessions/s1/todos'],
    ['GET', '/v1/sessions/s1/todos/'],
    ['GET', '/v1/sessions/s1/turns'],
    ['DELETE', '/v1/sessions/s1/todos'],
    ['PATCH', '/v1/sessions/s1/todos'],
    ['POST', '/v1/sessions//turns'],
  ] as const)('%s %s is not found', async (method, path) => {
    const answer = await api.app.inject({ method, url: path });
    expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({ code: 'not_found' });
  });

  it.each(['/%', '/%zz', '/v1/sessions/%E0%A4%A/todos', '/v1/sessions/%ff/todos'])(
    'a malformed path: %s',
    async (path) => {
      const answer = await api.app.inject({ method: 'GET', url: path });
      expect(answer.statusCode).toBe(400);
      expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
      expect(answer.json()).toMatchObject({ code: 'invalid_request' });
      expect(answer.headers).not.toHaveProperty('idempotency-key');
    },
  );
});

describe('on a real connection', () => {
  it.each([
    ['what is no HTTP', 'nonsense\r\n\r\n', 400, 'invalid_request'],
    [
      'a length that is none',
      'PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n',
      400,
      'invalid_request',
    ],
    [
      'two lengths',
      'PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'invalid_request',
    ],
    ['a broken header', 'GET / HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n', 400, 'invalid_request'],
    [
      'headers without end',
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    [
      'an expectation that is none',
      'PUT / HTTP/1.1\r\nHost: a\r\nExpect: foo\r\nConnection: close\r\nContent-Length: 2\r\n\r\n',
      417,
      'expectation_failed',
    ],
  ])('%s is answered as a problem', async (_what, bytes, status, code) => {
    const answer = await sendRaw(bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toMatch(/^Content-Type: application\/problem\+json/m);
    const body: unknown = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
    expect(body).toMatchObject({ code, status });
  });

  it('goes on where the body is to be asked for, and returns the key where it cannot', async () => {
    const head = 'POST /v1/sessions/s1/turns HTTP/1.1\r\nHost: a\r\nIdempotency-Key: k1\r\n';
    const rest = 'Connection: close\r\nContent-Length: 2\r\n\r\n';
    const refused = await sendRaw(`${head}Expect: foo\r\n${rest}`);
    expect(refused).toMatch(/^HTTP\/1\.1 417 [^]*^Idempotency-Key: k1\r$/im);
    const type = 'Content-Type: application/json\r\n';
    const taken = await sendRaw(`${head}${type}Expect: 100-continue\r\n${rest}{}`);
    expect(taken).toMatch(/^HTTP\/1\.1 100 [^]*^HTTP\/1\.1 201 /m);
  });

  it('answers a body far over the limit to a client that sends it all first', async () => {
    for (let round = 0; round < 5; round += 1) {
      const answer = await fetch(`${url}/v1/sessions/s1/turns`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: 'x'.repeat(8_000_000),
      });
      expect(answer.status).toBe(413);
      expect(await answer.json()).toMatchObject({ code: 'body_too_large' });
    }
  });

  it('answers a chunked body over the limit', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const sending = httpRequest(
        `${url}/v1/sessions/s1/turns`,
        { method: 'POST', headers: { 'content-type': 'application/json' } },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        },
      );
      sending.on('error', reject);
      for (let chunk = 0; chunk < 100; chunk += 1) sending.write('x'.repeat(10_000));
      sending.end();
    });
    expect(status).toBe(413);
  });

  function sendRaw(bytes: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes));
      socket.on('data', (chunk) => chunks.push(chunk));
      socket.on('error', reject);
      socket.on('close', () => {
        resolve(Buffer.concat(chunks).toString());
      });
    });
  }
});
