/** Faults that users of other systems reported, as scenarios of ours; by row number. */
import { readFile } from 'node:fs/promises';
import { RunningServer, receiptOf, type Answer } from './running-server.js';

let server: RunningServer;
beforeEach(async () => {
  server = await RunningServer.start();
});
afterEach(() => server.stop());

const session = 's1';
const todosOf = ({ body }: Answer) => (body as { todos: { content: string }[] }).todos;
const contentsOf = (answer: Answer) => todosOf(answer).map(({ content }) => content);

async function toolCall(callId: string, raw: unknown, turnId = 't1'): Promise<Answer> {
  const path = `/v1/sessions/${server.id(session)}/tools/todo_write`;
  return server.call('POST', path, { turnId, callId, arguments: raw });
}

const list = (...contents: string[]) => ({
  todos: contents.map((content) => ({ content, status: 'pending' })),
});

describe('resume and compaction', () => {
  it('rows 1, 19: the list does not depend on what the model still remembers', async () => {
    await server.startTurn(session, 't1');
    const written = await server.write(session, 't1', ['a', 'b', 'c']);
    const before = await server.read(session, written);
    // A host that compacts its context tells this service nothing: there is nothing to lose.
    expect((await server.read(session)).body).toEqual(before.body);
  });

  it('row 5: a deleted session never mixes with what is appended after', async () => {
    await server.startTurn(session, 't1');
    await server.write(session, 't1', ['old']);
    const gone = await server.call('DELETE', `/v1/sessions/${server.id(session)}`);
    expect(gone.status).toBe(204);
    expect((await server.startTurn(session, 't2')).body).toMatchObject({ code: 'session_deleted' });
    expect((await server.write(session, 't1', ['new'])).status).toBe(410);
    expect((await server.read(session, gone)).status).toBe(410);
  });

  it('row 11: interrupted, then resumed without a write: not running', async () => {
    await server.startTurn(session, 't1');
    await toolCall('c1', { todos: [{ content: 'a', status: 'in_progress' }] });
    const ended = await server.endTurn(session, 't1', 'aborted');
    expect((await server.read(session, ended)).body).toMatchObject({
      activity: 'interrupted',
      turn: { state: 'ended', outcome: 'aborted' },
      counts: { inProgress: 1 },
    });
  });

  it('row 13: an item that was left out does not come back, after a restart either', async () => {
    await server.startTurn(session, 't1');
    await server.write(session, 't1', ['keep', 'X']);
    const written = await server.write(session, 't1', ['keep']);
    expect(contentsOf(await server.read(session, written))).toEqual(['keep']);
    await server.restart();
    expect(contentsOf(await server.read(session, written))).toEqual(['keep']);
  });

  it('row 16: the list is there however much came after it', async () => {
    await server.startTurn(session, 't1');
    const written = await server.write(session, 't1', ['mine']);
    for (let i = 0; i < 100; i += 1) await server.startTurn(`other-${i}`, 't1');
    await server.restart();
    expect(contentsOf(await server.read(session, written))).toEqual(['mine']);
  });

  it('row 17: a finished list says so', async () => {
    await server.startTurn(session, 't1');
    await toolCall('c1', { todos: [{ content: 'a', status: 'completed' }] });
    const ended = await server.endTurn(session, 't1');
    expect((await server.read(session, ended)).body).toMatchObject({ activity: 'finished' });
  });

  it("row 20: a fork's writes do not touch its parent", async () => {
    await server.startTurn(session, 't1');
    const parent = await server.write(session, 't1', ['parent']);
    await server.call('POST', `/v1/sessions/${server.id(session)}/fork`, {
      sessionId: server.id('child'),
    });
    await server.startTurn('child', 't1');
    const child = await server.write('child', 't1', ['child']);
    const view = await server.read(session, child);
    expect(view.body).toMatchObject({ revision: receiptOf(parent).revision });
    expect(contentsOf(view)).toEqual(['parent']);
    expect(contentsOf(await server.read('child', child))).toEqual(['child']);
  });
});

describe('clearing', () => {
  it('row 25: both are there, the current list and the last unfinished one', async () => {
    await server.startTurn(session, 't1');
    await server.write(session, 't1', ['open work']);
    await server.endTurn(session, 't1', 'failed');
    const next = await server.startTurn(session, 't2');
    expect((await server.read(session, next)).body).toMatchObject({
      state: 'cleared',
      todos: [],
      previous: { todos: [{ content: 'open work' }], turnId: 't1', outcome: 'failed' },
    });
  });

  it('row 28: an empty list is a list, and no status is changed on our own', async () => {
    await server.startTurn(session, 't1');
    await server.write(session, 't1', ['a', 'b']);
    const emptied = await server.write(session, 't1', []);
    expect((await server.read(session, emptied)).body).toMatchObject({
      state: 'current',
      todos: [],
    });
    const again = await server.write(session, 't1', ['a', 'b']);
    expect(todosOf(await server.read(session, again))).toEqual(list('a', 'b').todos);
  });
});

describe('races', () => {
  it('row 43: a view that arrives late can be told from a newer one', async () => {
    await server.startTurn(session, 't1');
    const early = await server.read(session, await server.write(session, 't1', ['old']));
    const late = await server.read(session, await server.write(session, 't1', ['new']));
    const revision = (answer: Answer) => BigInt((answer.body as { revision: string }).revision);
    expect(revision(late)).toBeGreaterThan(revision(early));
    expect(late.headers.get('etag')).toBe(`"${revision(late)}"`);
  });

  it('row 52: two calls of one model message both stand, in the order they came', async () => {
    await server.startTurn(session, 't1');
    const [first, second] = await Promise.all([
      toolCall('c1', list('A')),
      toolCall('c2', list('B')),
    ]);
    const results = [first, second].map(
      ({ body }) =>
        (body as { structuredContent: { revision: string } }).structuredContent.revision,
    );
    expect(results.sort()).toEqual(['2', '3']);
    const { body } = await server.call('GET', `/v1/sessions/${server.id(session)}/todos/history`);
    expect((body as { items: unknown[] }).items).toHaveLength(2);
  });
});

it('a tool call returns its id on errors, too', async () => {
  const path = `/v1/sessions/${server.id(session)}/tools/todo_write`;
  for (const body of [
    { callId: 'c1', nope: 1 },
    { callId: 'c1', turnId: '-' },
  ]) {
    const { status, headers } = await server.call('POST', path, body);
    expect(status).toBe(400);
    expect(headers.get('idempotency-key')).toBe('c1');
  }
});

describe('input', () => {
  it('row 58: a Python literal and a bare object are told the right shape', async () => {
    await server.startTurn(session, 't1');
    for (const todos of ["[{'content': 'a'}]", { content: 'a', status: 'pending' }]) {
      const { status, body } = await toolCall('c1', { todos });
      expect(status).toBe(200);
      expect(body).toMatchObject({ isError: true });
      expect(JSON.stringify(body)).toContain('{\\"todos\\":[{\\"content\\"');
    }
  });

  it('row 62: partial JSON never reaches the log', async () => {
    await server.startTurn(session, 't1');
    await toolCall('c1', list('standing'));
    const whole = JSON.stringify(list('a', 'b'));
    for (let length = 0; length < whole.length; length += 1) {
      expect((await toolCall('c2', whole.slice(0, length))).body).toMatchObject({ isError: true });
    }
    expect(contentsOf(await server.read(session))).toEqual(['standing']);
  });

  it('row 76: what the tool writes is what the API reads, at one revision', async () => {
    await server.startTurn(session, 't1');
    const { body } = await toolCall('c1', list('a'));
    const view = await server.read(session);
    expect(view.body).toMatchObject({
      revision: (body as { structuredContent: { revision: string } }).structuredContent.revision,
      todos: list('a').todos,
    });
  });
});

it('the index names a test, or a reason, for every row of A to D, and for those of E that are ours', async () => {
  const index = await readFile('docs/checklist-reports.md', 'utf8');
  const rows = [...index.matchAll(/^\| (\d+) +\|[^|]*\| ([^|]*?) +\|$/gm)];
  expect(rows.map(([, row]) => Number(row))).toEqual(ROWS);
  for (const [, row = '', where = ''] of rows) {
    if (where.startsWith('out of scope:')) continue;
    const path = /`(test\/\S+\.ts)`/.exec(where)?.[1] ?? 'none';
    const source = await readFile(path, 'utf8');
    const named = [...source.matchAll(/(?:rows?|reports) (\d+(?:, \d+)*)/g)].flatMap(
      ([, numbers = '']) => numbers.split(', '),
    );
    expect({ row, path, named: named.includes(row) }).toEqual({ row, path, named: true });
  }
});

/** Their numbers, which are not contiguous. */
const ROWS = [
  1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22, 23, 25, 26, 28, 29, 31, 32, 34, 35, 37, 38,
  40, 41, 43, 44, 46, 47, 49, 50, 52, 53, 55, 56, 58, 59, 61, 62, 64, 65, 67, 68, 70, 71, 73, 74,
  76, 77, 79,
];
