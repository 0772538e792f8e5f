/** GET sessions: the page, its filters, its cursor and its totals. */
import fc from 'fast-check';
import { formatCursor, parseCursor } from '../../../src/api/overview/overview-cursor.js';
import { overviewPageSchema } from '../../../src/api/overview/overview-view.schemas.js';
import { positionOf } from '../../../src/events/log/position.js';
import { openApiApp, type ApiApp } from './api-app.js';

let api: ApiApp;
beforeAll(async () => {
  api = await openApiApp();
});
afterAll(() => api.app.close());
beforeEach(() => {
  api.fleet.entries.clear();
});

const list = (query = '') => api.app.inject({ method: 'GET', url: `/v1/sessions${query}` });

async function page(query = '') {
  const answer = await list(query);
  expect(answer.statusCode).toBe(200);
  return overviewPageSchema.parse(answer.json());
}
const idsOf = async (query = '') => (await page(query)).items.map(({ sessionId }) => sessionId);

const openTurn = { id: 't1', state: 'open', outcome: null } as const;
const counts = { pending: 1, inProgress: 1, completed: 0, total: 2 };
const running = { state: 'current', counts, active: ['a'], turn: openTurn } as const;

describe('the page', () => {
  it('is answered whole: items, cursor and totals', async () => {
    api.fleet.commit('s1', { ...running, writtenAt: Date.now() - 5_000 });
    const answer = await list();
    expect(answer.headers).toMatchObject({
      'cache-control': 'private, no-cache',
      'content-type': 'application/json; charset=utf-8',
      'planlog-change': String(await api.fleet.lastChange()),
    });
    const { items, cursor, totals } = overviewPageSchema.parse(answer.json());
    expect(items).toEqual([
      {
        sessionId: 's1',
        state: 'current',
        counts,
        active: ['a'],
        turn: openTurn,
        activity: 'running',
        stalledForMs: expect.any(Number) as unknown,
        revision: '1',
        updatedAt: new Date(0).toISOString(),
      },
    ]);
    expect(items[0]?.stalledForMs).toBeGreaterThanOrEqual(5_000);
    expect(cursor).toBeNull();
    expect(totals).toEqual({
      sessions: 1,
      byActivity: { running: 1 },
      pending: 1,
      inProgress: 1,
      completed: 0,
    });
  });

  it('of a tenant without sessions is empty', async () => {
    expect(await page()).toMatchObject({ items: [], cursor: null, totals: { sessions: 0 } });
  });

  it('holds the sessions of the caller’s tenant alone, and no deleted one', async () => {
    api.fleet.commit('s1', running);
    api.fleet.commit('s2', running, { tenant: 'other' });
    api.fleet.commit('s3', 'deleted');
    expect(await page()).toMatchObject({ items: [{ sessionId: 's1' }], totals: { sessions: 1 } });
  });

  it('says of a parked session that it stands still, and of no other', async () => {
    const parked = { stream: 's', revision: 4n, reason: 'r', at: new Date(0).toISOString() };
    api.fleet.commit('s1', running, { parked });
    api.fleet.commit('s2', running);
    const { items } = await page();
    expect(items.map((item) => item.parked)).toEqual([true, undefined]);
    expect(items[1]).not.toHaveProperty('parked');
  });

  it('filters, while the totals stay those of the tenant', async () => {
    api.fleet.commit('s1', { ...running, writtenAt: Date.now() - 60_000 });
    api.fleet.commit('s2', { state: 'cleared', turn: openTurn });
    api.fleet.commit('s3', { ...running, writtenAt: Date.now() });
    expect(await idsOf('?activity=running')).toEqual(['s1', 's3']);
    expect(await idsOf('?state=cleared')).toEqual(['s2']);
    expect(await idsOf('?stalledForMs=30000')).toEqual(['s1']);
    expect(await idsOf('?stalledForMs=30000&state=cleared')).toEqual([]);
    expect((await page('?activity=failed')).totals).toMatchObject({
      sessions: 3,
      byActivity: { running: 2, idle: 1 },
    });
  });

  it('shows what the sessions’ own views show: it waits for them, a little', async () => {
    api.rows.position = positionOf(7n);
    await page();
    expect(api.fleet.waits.at(-1)).toEqual({ position: positionOf(7n), timeoutMs: 250 });
  });

  it('leaves parameters alone that it does not know', async () => {
    expect((await list('?_=123')).statusCode).toBe(200);
  });

  it('answers HEAD without a body', async () => {
    const answer = await api.app.inject({ method: 'HEAD', url: '/v1/sessions' });
    expect([answer.statusCode, answer.body]).toEqual([200, '']);
  });
});

describe('paging', () => {
  it('goes on with the cursor to the end, also with another limit', async () => {
    for (const id of ['e', 'b', 'd', 'a', 'c']) api.fleet.commit(id, running);
    const first = await page('?limit=2');
    const second = await page(`?limit=1&cursor=${first.cursor ?? ''}`);
    const third = await page(`?limit=2&cursor=${second.cursor ?? ''}`);
    const pages = [first, second, third].map(({ items }) => items.map((one) => one.sessionId));
    expect(pages).toEqual([['a', 'b'], ['c'], ['d', 'e']]);
    expect(third.cursor).toBeNull();
  });

  it('shows 50 unless asked for more, and 500 at most', async () => {
    for (let id = 1000; id < 1501; id += 1) api.fleet.commit(`s${id}`, {});
    expect((await page()).items).toHaveLength(50);
    expect((await page('?limit=500')).items).toHaveLength(500);
  });

  it('goes on where a session was that is gone', async () => {
    for (const id of ['a', 'b', 'c']) api.fleet.commit(id, {});
    const { cursor } = await page('?limit=2');
    api.fleet.commit('b', 'deleted');
    expect(await idsOf(`?cursor=${cursor ?? ''}`)).toEqual(['c']);
  });
});

describe('a request that is refused', () => {
  const encoded = (text: string) => Buffer.from(text).toString('base64url');

  it.each([
    ['state', 'new'],
    ['state', 'Current'],
    ['activity', 'busy'],
    ['activity', ''],
    ['stalledForMs', '-1'],
    ['stalledForMs', '1.5'],
    ['stalledForMs', '9007199254740992'],
    ['stalledForMs', ''],
    ['limit', '0'],
    ['limit', '501'],
    ['limit', 'all'],
    ['limit', '1e2'],
    ['cursor', ''],
    ['cursor', 's1'],
    ['cursor', encoded('s1')],
    ['cursor', encoded('overview-1:')],
    ['cursor', encoded('overview-1:-bad')],
    ['cursor', encoded('overview-2:s1')],
    ['cursor', `${formatCursor('s1')}==`],
    // It decodes to the same bytes.
    ['cursor', `${formatCursor('s1').slice(0, -1)}R`],
    ['cursor', 'A'.repeat(5_000)],
  ])('%s=%s', async (name, value) => {
    const answer = await list(`?${name}=${encodeURIComponent(value)}`);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ code: 'invalid_request', errors: [{ path: name }] });
  });

  it.each(['state=current&state=cleared', 'limit=1&limit=2', 'cursor=a&cursor=b'])(
    '%s: a parameter twice',
    async (query) => {
      expect((await list(`?${query}`)).statusCode).toBe(400);
    },
  );
});

it('leaves room for a session called events', async () => {
  api.rows.write('events', 3n, ['mine']);
  const path = '/v1/sessions/events';
  const view = await api.app.inject({ method: 'GET', url: `${path}/todos` });
  expect(view.json()).toMatchObject({ sessionId: 'events', revision: '3' });
  const history = await api.app.inject({ method: 'GET', url: `${path}/todos/history` });
  expect(history.json()).toMatchObject({ code: 'session_not_found' });
  api.sent.length = 0;
  await api.app.inject({ method: 'POST', url: `${path}/turns`, payload: { turnId: 't1' } });
  await api.app.inject({ method: 'DELETE', url: path });
  const session = { tenant: 'default', sessionId: 'events' };
  expect(api.sent).toMatchObject([{ session }, { session }]);
  api.fleet.commit('events', running);
  expect(await idsOf()).toEqual(['events']);
});

it('a cursor comes back as the id it was made of, and no other text is one', () => {
  const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$/);
  fc.assert(
    fc.property(id, fc.string(), (sessionId, text) => {
      const cursor = formatCursor(sessionId);
      expect(cursor).toMatch(/^[\w-]+$/);
      expect(parseCursor(cursor)).toBe(sessionId);
      const other = parseCursor(text);
      expect(other === undefined || formatCursor(other) === text).toBe(true);
    }),
  );
  expect(parseCursor(formatCursor('x'.repeat(128)))).toBe('x'.repeat(128));
});
