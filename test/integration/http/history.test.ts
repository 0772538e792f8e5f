/** GET todos/history: what a page holds, and what is answered where there is none. */
import { born, ended, foreign, HistoryApp, removed, turn, wrote } from './history-app.js';

let history: HistoryApp;
beforeEach(async () => {
  history = await HistoryApp.open();
});
afterEach(() => history.close());

const NOTHING = { added: [], dropped: [], renamed: [], status: [] };

describe('the history of a session', () => {
  it('holds every list that was written by command, newest first', async () => {
    const write = (turnId: string, ...contents: string[]) =>
      history.send('PUT', 'todos', {
        turnId,
        todos: contents.map((content) => ({ content, status: 'pending' })),
      });
    await history.send('POST', 'turns', { turnId: 't1' });
    await write('t1', 'a');
    await write('t1');
    await history.send('POST', 'turns/t1/end', { outcome: 'completed' });
    await history.send('POST', 'turns', { turnId: 't2' });
    await write('t2', 'b');

    const answer = await history.get();
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      'cache-control': 'private, no-cache',
      'content-type': 'application/json; charset=utf-8',
    });
    const at = '2026-11-30T09:00:00.000Z';
    const actor = { kind: 'agent', subject: 'local' };
    expect(answer.json()).toEqual({
      items: [
        {
          revision: '6',
          turnId: 't2',
          at,
          actor,
          todos: [{ content: 'b', status: 'pending' }],
          change: { ...NOTHING, added: ['b'] },
        },
        {
          revision: '3',
          turnId: 't1',
          at,
          actor,
          todos: [],
          change: { ...NOTHING, dropped: ['a'] },
        },
        {
          revision: '2',
          turnId: 't1',
          at,
          actor,
          todos: [{ content: 'a', status: 'pending' }],
          change: { ...NOTHING, added: ['a'] },
        },
      ],
      before: null,
    });
  });

  it('is empty while nothing was written', async () => {
    await history.given([born, turn('t1')]);
    expect(await history.page()).toEqual({ items: [], before: null });
  });

  it('row 74: shows a rename, not a drop and an add', async () => {
    await history.given([born, turn('t1'), wrote('t1', 'P:Fix bug'), wrote('t1', 'I:fix bug')]);
    expect((await history.page()).items[0]?.change).toEqual({
      ...NOTHING,
      renamed: [{ from: 'Fix bug', to: 'fix bug' }],
      status: [{ content: 'fix bug', from: 'pending', to: 'in_progress' }],
    });
  });

  it('row 88: lists the three open items that a narrower rewrite dropped', async () => {
    const five = wrote('t1', 'P:a', 'P:b', 'P:c', 'P:d', 'P:e');
    await history.given([born, turn('t1'), five, wrote('t1', 'P:a', 'P:b')]);
    expect((await history.page()).items[0]?.change.dropped).toEqual(['c', 'd', 'e']);
  });

  it('row 89: lets a reader see an item that skipped in_progress', async () => {
    const lists = [wrote('t1', 'P:a', 'I:b'), wrote('t1', 'C:a', 'C:b')];
    await history.given([born, turn('t1'), ...lists]);
    const { status } = (await history.page()).items[0]?.change ?? NOTHING;
    expect(status).toEqual([
      { content: 'a', from: 'pending', to: 'completed' },
      { content: 'b', from: 'in_progress', to: 'completed' },
    ]);
  });

  it('compares the first list of a turn with the empty list, also where the id is used again', async () => {
    const first = [turn('t1'), wrote('t1', 'P:a'), ended('t1')];
    await history.given([born, ...first, turn('t2'), ...first]);
    const { items } = await history.page();
    expect(items.map(({ change }) => change)).toEqual([
      { ...NOTHING, added: ['a'] },
      { ...NOTHING, added: ['a'] },
    ]);
  });

  it('passes over what it cannot read, and compares with the last list that it can', async () => {
    await history.given([
      born,
      turn('t1'),
      wrote('t1', 'P:a'),
      foreign,
      { type: 'todo/write', data: { turnId: 't1' } },
      { type: 'todo/write', data: { turnId: 't1', todos: [{ content: 'a', status: 'done' }] } },
      wrote('t1', 'C:a'),
      foreign,
    ]);
    const { items, before } = await history.page();
    expect(items.map(({ revision }) => revision)).toEqual(['6', '2']);
    expect(items[0]?.change.status).toEqual([{ content: 'a', from: 'pending', to: 'completed' }]);
    expect(before).toBeNull();
  });

  it('holds what can be read of a session that its commands refuse', async () => {
    const brokenTurn = { type: 'turn/start', data: { turn: 't2' } };
    await history.given([born, turn('t1'), wrote('t1', 'P:a'), brokenTurn, wrote('t2', 'P:b')]);
    const refused = await history.app.inject({
      method: 'PUT',
      url: '/v1/sessions/s1/todos',
      payload: { turnId: 't2', todos: [] },
    });
    expect(refused.json()).toMatchObject({ code: 'session_unreadable' });
    const { items } = await history.page();
    expect(items.map(({ change }) => change.added)).toEqual([['b'], ['a']]);
  });

  it('holds what is left of a stream that has lost its beginning', async () => {
    const lists = [wrote('t1', 'P:a'), wrote('t1', 'P:b'), wrote('t1', 'P:c')];
    await history.given([born, turn('t1'), ...lists]);
    await history.log.truncate('agentSession-default.s1', 3n);
    const { items, before } = await history.page();
    expect(items.map(({ revision }) => revision)).toEqual(['4', '3']);
    expect(before).toBeNull();
  });

  it('names no actor where the metadata is not ours', async () => {
    await history.given([
      born,
      turn('t1'),
      { ...wrote('t1', 'P:a'), metadata: {} },
      {
        ...wrote('t1', 'P:b'),
        metadata: {
          $correlationId: 'default.s1',
          $causationId: 'c2',
          schemaVersion: 1,
          actor: { kind: 'robot', subject: 'r2', email: 'never@shown.example' },
        },
      },
    ]);
    const { items } = await history.page();
    expect(items.map(({ actor }) => actor)).toEqual([{ kind: 'robot', subject: 'r2' }, null]);
  });

  it('shows no field that is not of the contract', async () => {
    const todo = { content: 'a', status: 'pending', note: 'later' };
    await history.given([
      born,
      turn('t1'),
      { type: 'todo/write', data: { turnId: 't1', todos: [todo], by: 'someone' } },
    ]);
    expect((await history.get()).body).not.toMatch(/note|later|someone/);
  });

  it('keeps to its session', async () => {
    await history.given([born, turn('t1'), wrote('t1', 'P:mine')]);
    await history.given([born, turn('t1'), wrote('t1', 'P:other')], 's1.x');
    expect((await history.get()).body).not.toContain('other');
  });
});

describe('a session that is not there', () => {
  it('is 404 where nothing was ever stored', async () => {
    const answer = await history.get();
    expect(answer.statusCode).toBe(404);
    expect(answer.headers['content-type']).toMatch('application/problem+json');
    expect(answer.json()).toMatchObject({ code: 'session_not_found' });
  });

  it('is 404 where its stream holds nothing of ours', async () => {
    await history.given([foreign, foreign]);
    expect((await history.get()).json()).toMatchObject({ code: 'session_not_found' });
  });

  it.each([
    ['not truncated yet', []],
    ['with foreign events after it', [foreign, foreign]],
    ['with a late event of ours after it', [wrote('t1', 'P:late')]],
  ])('is 410 once it was deleted: %s', async (_, after) => {
    await history.given([born, turn('t1'), wrote('t1', 'P:secret'), removed, ...after]);
    const answer = await history.get();
    expect(answer.statusCode).toBe(410);
    expect(answer.json()).toMatchObject({ code: 'session_deleted' });
    expect(answer.body).not.toContain('secret');
  });

  it('is 410 also for a page that goes on from an earlier one', async () => {
    await history.given([born, turn('t1'), wrote('t1', 'P:a'), wrote('t1', 'P:b'), removed]);
    await history.log.truncate('agentSession-default.s1', 4n);
    expect((await history.get('?before=3')).statusCode).toBe(410);
  });

  it('is 410 where it is deleted while it is read', async () => {
    const lists = [wrote('t1', 'P:a'), wrote('t1', 'P:b'), wrote('t1', 'P:c')];
    await history.given([born, turn('t1'), ...lists]);
    history.log.beforeEach = async ({ revision, type }) => {
      if (revision !== 3n || type === 'session/delete') return;
      history.log.beforeEach = () => undefined;
      await history.given([removed]);
      await history.log.truncate('agentSession-default.s1', 5n);
      // A real log reads by pages: the next one finds nothing.
      history.log.cut = true;
    };
    expect((await history.get()).statusCode).toBe(410);
  });
});
