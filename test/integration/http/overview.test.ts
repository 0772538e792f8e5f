/** The fleet on the real thing: listed, counted and followed while agents work. */
import {
  overviewItemSchema,
  overviewPageSchema,
} from '../../../src/api/overview/overview-view.schemas.js';
import { SseClient, type SseFrame } from '../../unit/api/sse-client.js';
import { RunningServer, type Answer } from './running-server.js';

let server: RunningServer;
beforeEach(async () => {
  server = await RunningServer.start();
});
afterEach(() => server.stop());

/** The overview, when it shows that answer's change. */
async function list(query = '', after?: Answer) {
  if (after !== undefined) await server.read('any', after);
  const { status, body, headers } = await server.call('GET', `/v1/sessions${query}`);
  expect(status).toBe(200);
  const page = overviewPageSchema.parse(body);
  const items = page.items.map((item) => ({ ...item, sessionId: nameOf(item) }));
  return { ...page, items, change: headers.get('planlog-change') ?? '' };
}

/** The short name of a session: on every log it has a mark. */
const nameOf = ({ sessionId }: { readonly sessionId: string }): string =>
  sessionId.replace(server.id(''), '');

const follow = (lastEventId?: string) =>
  SseClient.open(
    `${server.planlog.url}/v1/sessions/events`,
    lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
  );

/** Reads frames until one fits. */
async function frameWith(client: SseClient, fits: (frame: SseFrame) => boolean): Promise<SseFrame> {
  for (;;) {
    const frame = await client.next();
    if (frame === undefined) throw new Error('the stream has ended');
    if (fits(frame)) return frame;
  }
}

const todos = [
  { content: 'read', status: 'completed' },
  { content: 'fix', status: 'in_progress' },
  { content: 'test', status: 'pending' },
];
const putTodos = (session: string, turnId: string) =>
  server.call('PUT', `/v1/sessions/${server.id(session)}/todos`, { turnId, todos });

it('shows a session as its own view does, through its whole life', async () => {
  const steps = [
    () => server.startTurn('s1', 't1'),
    () => putTodos('s1', 't1'),
    () => server.endTurn('s1', 't1', 'failed'),
    () => server.startTurn('s1', 't2'),
    () => server.write('s1', 't2', []),
  ];
  for (const step of steps) {
    const done = await step();
    const view = (await server.read('s1', done)).body as Record<string, unknown>;
    const { items } = await list('', done);
    const { state, counts, turn, activity, revision, updatedAt } = view;
    expect(items).toMatchObject([
      { sessionId: 's1', state, counts, turn, activity, revision, updatedAt },
    ]);
  }
});

it('shows what is active and for how long nothing was written', async () => {
  await server.startTurn('s1', 't1');
  expect((await list('', await server.startTurn('s2', 't1'))).items[0]).toMatchObject({
    stalledForMs: null,
  });
  const written = await putTodos('s1', 't1');
  const first = (await list('', written)).items[0];
  expect(first).toMatchObject({ active: ['fix'], activity: 'running' });
  const since = first?.stalledForMs ?? -1;
  expect(since).toBeGreaterThanOrEqual(0);
  // A session is in the filter as soon as it has stalled so long.
  const stalled = await list(`?stalledForMs=${since}`);
  expect(stalled.items.map(({ sessionId }) => sessionId)).toEqual(['s1']);
  expect((await list('?stalledForMs=600000')).items).toEqual([]);
  expect((await list('', await server.endTurn('s1', 't1'))).items[0]).toMatchObject({
    stalledForMs: null,
    activity: 'interrupted',
  });
});

it('counts and filters, pages, and forgets what is deleted, also after a restart', async () => {
  for (const id of ['b', 'd', 'a', 'c', 'e']) await server.startTurn(id, 't1');
  await putTodos('a', 't1');
  await putTodos('b', 't1');
  await server.endTurn('b', 't1', 'failed');
  const gone = await server.call('DELETE', `/v1/sessions/${server.id('e')}`);
  const totals = {
    sessions: 4,
    byActivity: { running: 1, failed: 1, idle: 2 },
    pending: 2,
    inProgress: 2,
    completed: 2,
  };
  for (const restart of [false, true]) {
    if (restart) await server.restart();
    const first = await list('?limit=3', gone);
    expect(first.items.map(({ sessionId }) => sessionId)).toEqual(['a', 'b', 'c']);
    expect(first.totals).toEqual(totals);
    const second = await list(`?limit=3&cursor=${first.cursor ?? ''}`);
    expect(second.items.map(({ sessionId }) => sessionId)).toEqual(['d']);
    expect(second.cursor).toBeNull();
    const failed = await list('?activity=failed&state=current');
    expect(failed.items.map(({ sessionId }) => sessionId)).toEqual(['b']);
    expect(failed.totals).toEqual(totals);
  }
});

it('is listed, then followed, without a gap; a client that was cut off resumes', async () => {
  const before = await list('', await server.startTurn('s1', 't1'));
  const missed = await putTodos('s1', 't1');
  const client = await follow(before.change);
  const isNow = (revision: string) => (frame: SseFrame) =>
    overviewItemSchema.parse(frame.data).revision === revision;
  expect(await frameWith(client, isNow('2'))).toMatchObject({
    event: 'session',
    data: { sessionId: server.id('s1'), active: ['fix'] },
  });
  client.leave();
  const seen = (await list('', missed)).change;
  await server.startTurn('s2', 't1');
  await server.read('s1', await server.call('DELETE', `/v1/sessions/${server.id('s1')}`));
  for (const restart of [false, true]) {
    if (restart) await server.restart();
    await list();
    const again = await follow(seen);
    const frames = [await again.next(), await again.next()];
    const told = frames.map((frame) => [
      frame?.event,
      nameOf(frame?.data as { sessionId: string }),
    ]);
    expect(told.sort()).toEqual([
      ['deleted', 's1'],
      ['session', 's2'],
    ]);
    // What is left of a deleted session holds none of its text.
    const deleted = frames.find((frame) => frame?.event === 'deleted');
    expect(deleted?.data).toEqual({ sessionId: server.id('s1') });
    again.leave();
  }
});

it('follows a busy fleet to where it ends, numbers rising', async () => {
  const client = await follow();
  const ids = Array.from({ length: 8 }, (_, index) => `s${index}`);
  await Promise.all(ids.map((id) => server.startTurn(id, 't1')));
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(ids.map((id) => server.write(id, 't1', [`round ${round}`])));
  }
  await Promise.all(ids.map((id) => putTodos(id, 't1')));
  const latest = new Map<string, string>();
  let last = 0;
  await frameWith(client, ({ id = '', data }) => {
    const item = overviewItemSchema.parse(data);
    const sessionId = nameOf(item);
    const { revision, active } = item;
    expect(Number(id)).toBeGreaterThan(last);
    last = Number(id);
    expect(BigInt(revision)).toBeGreaterThan(BigInt(latest.get(sessionId) ?? '-1'));
    latest.set(sessionId, revision);
    return ids.every((one) => latest.get(one) === '7') && active.length === 1;
  });
});

it('row 16: a cold load shows a session as it is now, however much came after it', async () => {
  await server.startTurn('mine', 't1');
  await putTodos('mine', 't1');
  for (let id = 0; id < 30; id += 1) await server.startTurn(`other-${id}`, 't1');
  await server.restart();
  const { items, totals } = await list('?activity=running&limit=1');
  expect(items).toMatchObject([{ sessionId: 'mine', active: ['fix'], revision: '2' }]);
  expect(totals).toMatchObject({ sessions: 31, byActivity: { running: 1, idle: 30 } });
});

it('rows 20, 79: a fork that writes and ends changes nothing of its parent, and the fleet shows both', async () => {
  await server.startTurn('parent', 't1');
  const parent = await putTodos('parent', 't1');
  const before = (await list('', parent)).items;
  await server.call('POST', `/v1/sessions/${server.id('parent')}/fork`, {
    sessionId: server.id('child'),
  });
  await server.startTurn('child', 't1');
  await server.write('child', 't1', ['part']);
  const { items } = await list('', await server.endTurn('child', 't1'));
  const [child, unchanged] = items.map(({ stalledForMs: _, ...rest }) => rest);
  expect(unchanged).toEqual(before.map(({ stalledForMs: _, ...rest }) => rest)[0]);
  expect(child).toMatchObject({
    sessionId: 'child',
    turn: { state: 'ended' },
    counts: { total: 1 },
  });
});
