/** Every row of the calls table, on the real thing. */
import { receiptOf, RunningServer } from './running-server.js';

let server: RunningServer;
beforeAll(async () => {
  server = await RunningServer.start();
});
afterAll(() => server.stop());

it('leads a session from its first turn to its end', async () => {
  const start = await server.startTurn('life', 't1');
  expect(start.status).toBe(201);
  expect(start.body).toMatchObject({ sessionId: server.id('life'), turnId: 't1', revision: '1' });

  const write = await server.write('life', 't1', ['a', 'b']);
  expect(write.status).toBe(200);
  expect(write.body).toMatchObject({
    revision: '2',
    counts: { pending: 2, inProgress: 0, completed: 0, total: 2 },
  });
  const view = await server.read('life', write);
  expect(view.status).toBe(200);
  expect(view.headers.get('etag')).toBe('"2"');
  expect(view.body).toMatchObject({
    sessionId: server.id('life'),
    state: 'current',
    turn: { id: 't1', state: 'open', outcome: null },
    activity: 'running',
    previous: null,
  });
  expect((await server.read('life', undefined, { 'if-none-match': '"2"' })).status).toBe(304);

  const end = await server.endTurn('life', 't1', 'aborted');
  expect(end.status).toBe(200);
  expect((await server.read('life', end)).body).toMatchObject({ activity: 'interrupted' });

  const next = await server.startTurn('life', 't2');
  expect((await server.read('life', next)).body).toMatchObject({
    state: 'cleared',
    todos: [],
    previous: { turnId: 't1', outcome: 'aborted', revision: '2' },
  });

  const fork = await server.call('POST', `/v1/sessions/${server.id('life')}/fork`, {
    sessionId: server.id('child'),
  });
  expect(fork.status).toBe(201);
  expect(fork.body).toMatchObject({ sessionId: server.id('child'), turnId: null, revision: '0' });
  expect((await server.read('child', fork)).body).toMatchObject({
    state: 'never-written',
    turn: null,
  });

  const gone = await server.call('DELETE', `/v1/sessions/${server.id('life')}`);
  expect(gone.status).toBe(204);
  expect(gone.body).toBeUndefined();
  expect((await server.read('life', gone)).status).toBe(410);
  expect(
    (await server.call('DELETE', `/v1/sessions/${server.id('life')}`)).headers.get(
      'planlog-position',
    ),
  ).toBe(gone.headers.get('planlog-position'));
  expect((await server.startTurn('life', 't3')).body).toMatchObject({ code: 'session_deleted' });
});

it('refuses with each code of the table', async () => {
  await server.startTurn('codes', 't1');
  const expectCode = async (
    status: number,
    code: string,
    answer: ReturnType<typeof server.call>,
  ) => {
    const { status: answered, body, headers } = await answer;
    expect(body).toMatchObject({ code, status });
    expect(answered).toBe(status);
    expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(headers.get('idempotency-key')).not.toBeNull();
  };
  await expectCode(409, 'turn_already_open', server.startTurn('codes', 't2'));
  await expectCode(409, 'turn_mismatch', server.write('codes', 't2', []));
  await expectCode(404, 'session_not_found', server.write('absent', 't1', []));
  await expectCode(
    404,
    'session_not_found',
    server.call('DELETE', `/v1/sessions/${server.id('absent')}`),
  );
  await expectCode(422, 'invalid_todos', server.write('codes', 't1', ['same', 'same']));
  await expectCode(422, 'invalid_todos', server.write('codes', 't1', [' ']));
  await expectCode(
    422,
    'too_many_in_progress',
    server.call('PUT', `/v1/sessions/${server.id('codes')}/todos`, {
      turnId: 't1',
      todos: [
        { content: 'a', status: 'in_progress' },
        { content: 'b', status: 'in_progress' },
      ],
    }),
  );
  await expectCode(
    403,
    'actor_not_allowed',
    server.write('codes', 't1', [], { 'planlog-actor': 'user' }),
  );
  await expectCode(
    412,
    'revision_conflict',
    server.write('codes', 't1', [], { 'if-match': '"0"' }),
  );
  await server.write('codes', 't1', ['a'], { 'idempotency-key': 'k' });
  await expectCode(
    409,
    'idempotency_conflict',
    server.write('codes', 't1', ['b'], { 'idempotency-key': 'k' }),
  );
  await server.endTurn('codes', 't1');
  await expectCode(409, 'turn_not_open', server.write('codes', 't1', []));
  await expectCode(409, 'turn_id_reused', server.startTurn('codes', 't1'));
  await expectCode(
    409,
    'session_exists',
    server.call('POST', `/v1/sessions/${server.id('codes')}/fork`, {
      sessionId: server.id('codes'),
    }),
  );
});

it('names the open turn and the present revision', async () => {
  await server.startTurn('extras', 't1');
  expect((await server.startTurn('extras', 't2')).body).toMatchObject({ openTurnId: 't1' });
  const conflict = await server.write('extras', 't1', [], { 'if-match': '"7"' });
  expect(conflict.body).toMatchObject({ currentRevision: '1' });
});

it('takes the ETag of the view as If-Match, and fences the second of two writers', async () => {
  const start = await server.startTurn('fence', 't1');
  const tag = (await server.read('fence', start)).headers.get('etag') ?? '';
  expect((await server.write('fence', 't1', ['a'], { 'if-match': tag })).status).toBe(200);
  expect((await server.write('fence', 't1', ['b'], { 'if-match': tag })).status).toBe(412);
});

it('does a repeated command once, with the same receipt', async () => {
  await server.startTurn('repeat', 't1');
  const first = await server.write('repeat', 't1', ['a'], { 'idempotency-key': 'k' });
  const again = await server.write('repeat', 't1', ['a'], { 'idempotency-key': 'k' });
  expect(again.body).toEqual(first.body);
});

it('row 47: a late write of a turn that is over is refused and changes nothing', async () => {
  await server.startTurn('late', 't1');
  await server.write('late', 't1', ['old']);
  const next = await server.startTurn('late', 't2', true);
  const late = await server.write('late', 't1', ['late']);
  expect(late.status).toBe(409);
  expect(late.body).toMatchObject({ code: 'turn_mismatch', openTurnId: 't2' });
  expect((await server.read('late', next)).body).toMatchObject({ state: 'cleared', todos: [] });
});

it('row 49: of twenty concurrent writes the list is one, the revisions without a gap', async () => {
  await server.startTurn('race', 't1');
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => server.write('race', 't1', [`writer ${index}`])),
  );
  const revisions = answers.map((answer) => Number(receiptOf(answer).revision));
  expect([...revisions].sort((a, b) => a - b)).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 2),
  );
  const last = revisions.indexOf(21);
  const view = await server.read('race', answers[last]);
  expect(view.body).toMatchObject({
    revision: '21',
    todos: [{ content: `writer ${last}`, status: 'pending' }],
  });
});

it('row 50: twelve and more items keep their order', async () => {
  await server.startTurn('order', 't1');
  const contents = Array.from({ length: 25 }, (_, index) => `item ${index + 1}`);
  const view = await server.read('order', await server.write('order', 't1', contents));
  expect(view.body).toMatchObject({ todos: contents.map((content) => ({ content })) });
});

it('row 53: fifty sessions do not wait for one another', async () => {
  const names = Array.from({ length: 50 }, (_, index) => `many-${index}`);
  await Promise.all(names.map((name) => server.startTurn(name, 't1')));
  const answers = await Promise.all(names.map((name) => server.write(name, 't1', [name])));
  expect(answers.map((answer) => answer.status)).toEqual(names.map(() => 200));
});

it('row 55: lists of two sessions stay apart', async () => {
  await server.startTurn('a', 't1');
  await server.startTurn('b', 't1');
  for (let round = 0; round < 5; round += 1) {
    await server.write('a', 't1', [`a ${round}`]);
    await server.write('b', 't1', [`b ${round}`]);
  }
  const [a, b] = [await server.write('a', 't1', ['a']), await server.write('b', 't1', ['b'])];
  expect((await server.read('a', a)).body).toMatchObject({ todos: [{ content: 'a' }] });
  expect((await server.read('b', b)).body).toMatchObject({ todos: [{ content: 'b' }] });
});

it('works with ids of 128 characters throughout', async () => {
  const id = server.id('s').padEnd(128, '~');
  const turn = `t${'.'.repeat(127)}`;
  const child = server.id('c').padEnd(128, '_');
  expect((await server.startTurn(id, turn)).status).toBe(201);
  const write = await server.write(id, turn, ['a']);
  expect((await server.read(id, write)).body).toMatchObject({ sessionId: id, turn: { id: turn } });
  const client = await server.follow(id);
  expect(await client.next()).toMatchObject({ id: '2' });
  client.leave();
  expect((await server.endTurn(id, turn)).status).toBe(200);
  const fork = await server.call('POST', `/v1/sessions/${id}/fork`, { sessionId: child });
  expect(fork.status).toBe(201);
  expect((await server.call('DELETE', `/v1/sessions/${id}`)).status).toBe(204);
});

it('is 504 for a position that the log has not reached', async () => {
  const start = await server.startTurn('ahead', 't1');
  const beyond = BigInt(receiptOf(start).position) + 1_000_000n;
  const answer = await server.call(
    'GET',
    `/v1/sessions/${server.id('ahead')}/todos?after=${beyond}&timeoutMs=50`,
  );
  expect(answer.status).toBe(504);
  expect(answer.body).toMatchObject({ code: 'projection_behind' });
});
