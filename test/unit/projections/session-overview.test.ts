/** The fleet's query side over real rows: pages that hold still, totals, and who is woken. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { jest } from '@jest/globals';
import { positionOf } from '../../../src/events/log/position.js';
import type { ReadModel, RowEntry } from '../../../src/projections/read-model/read-model.js';
import { sqliteReadModels } from '../../../src/projections/read-model/sqlite/sqlite-read-models.js';
import type { ProjectionTable } from '../../../src/projections/runtime/projection-reader.js';
import { sessionOverviewProjection } from '../../../src/projections/session-overview/session-overview.projection.js';
import {
  INITIAL_OVERVIEW,
  type OverviewSession,
  type SessionOverviewRow,
} from '../../../src/projections/session-overview/session-overview.row.js';
import { SessionOverview } from '../../../src/projections/session-overview/session-overview.js';

const NOW = Date.UTC(2026, 10, 30);

let directory: string;
let rows: ReadModel<SessionOverviewRow>;
let overview: SessionOverview;
let commits: number;
const listeners = new Set<(entry: RowEntry<SessionOverviewRow>) => void>();
const reads = jest.fn();

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'planlog-overview-'));
  rows = await sqliteReadModels(directory).open(sessionOverviewProjection, 1);
  commits = 0;
  listeners.clear();
  reads.mockClear();
  const table: ProjectionTable<SessionOverviewRow> = {
    lastChange: () => rows.lastChange(),
    select: (query) => rows.select(query),
    changesAfter: (...asked) => {
      reads();
      return rows.changesAfter(...asked);
    },
    totals: (query) => rows.totals(query),
    reached: () => Promise.resolve(true),
    subscribeAll: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  overview = new SessionOverview(table, () => NOW);
});

afterEach(async () => {
  await rows.close();
  rmSync(directory, { recursive: true });
});

/** Commits rows under keys such as `acme.s1`, and tells who listens. */
async function commit(
  changes: Record<string, Partial<OverviewSession> | 'deleted'>,
): Promise<void> {
  commits += 1;
  const entries = await rows.commit(
    Object.entries(changes).map(([key, row]) => ({
      key,
      row:
        row === 'deleted'
          ? { kind: 'deleted', revision: '9', updatedAt: INITIAL_OVERVIEW.updatedAt }
          : { ...INITIAL_OVERVIEW, revision: '1', ...row },
      epoch: 0,
      parked: undefined,
    })),
    { kind: 'log', logId: 'log', position: positionOf(BigInt(commits)), event: null },
  );
  for (const entry of entries) for (const listener of listeners) listener(entry);
}

const counts = (pending: number, inProgress: number, completed: number) => ({
  pending,
  inProgress,
  completed,
  total: pending + inProgress + completed,
});
const openTurn = { id: 't1', state: 'open', outcome: null } as const;
const failedTurn = { id: 't1', state: 'ended', outcome: 'failed' } as const;
const running = { state: 'current', counts: counts(2, 1, 0), turn: openTurn } as const;
const failed = { state: 'current', counts: counts(1, 0, 3), turn: failedTurn } as const;

async function idsOf(...asked: Parameters<SessionOverview['page']>): Promise<string[]> {
  const { items } = await overview.page(...asked);
  return items.map(({ sessionId }) => sessionId);
}

describe('a page', () => {
  it('holds what the filter lets through: all that is given must fit', async () => {
    await commit({
      'acme.a': { ...running, writtenAt: NOW - 60_000 },
      'acme.b': { ...running, writtenAt: NOW - 59_999 },
      'acme.c': failed,
      'acme.d': { state: 'cleared', turn: openTurn },
      'acme.e': {},
      'acme.f': 'deleted',
      'other.g': running,
    });
    const all = { limit: 100 };
    expect(await idsOf('acme', {}, all)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(await idsOf('acme', { activity: 'running' }, all)).toEqual(['a', 'b']);
    expect(await idsOf('acme', { activity: 'idle' }, all)).toEqual(['d', 'e']);
    expect(await idsOf('acme', { state: 'cleared' }, all)).toEqual(['d']);
    expect(await idsOf('acme', { state: 'cleared', activity: 'running' }, all)).toEqual([]);
    expect(await idsOf('acme', { stalledForMs: 60_000 }, all)).toEqual(['a']);
    expect(await idsOf('acme', { stalledForMs: 0 }, all)).toEqual(['a', 'b']);
    expect(await idsOf('nobody', {}, all)).toEqual([]);
  });

  it('says where the next one goes on only where there is one', async () => {
    await commit({ 'acme.a': {}, 'acme.b': {}, 'acme.c': {} });
    expect((await overview.page('acme', {}, { limit: 3 })).after).toBeNull();
    const { after } = await overview.page('acme', {}, { limit: 2 });
    expect(after).toBe('b');
    expect(await idsOf('acme', {}, { after: 'b', limit: 2 })).toEqual(['c']);
  });

  it('follows page on page while sessions change, begin and go: each that stays comes once', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const step = fc.record({
      id: fc.constantFrom(...ids, 'b1', 'e1', 'z'),
      how: fc.constantFrom('write', 'delete'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { maxLength: 3 }), { minLength: 9, maxLength: 9 }),
        fc.integer({ min: 1, max: 4 }),
        async (between, limit) => {
          const tenant = `t${commits}`;
          await commit(Object.fromEntries(ids.map((id) => [`${tenant}.${id}`, running])));
          const gone = new Set<string>();
          const seen: string[] = [];
          let after: string | undefined;
          for (const steps of between) {
            const page = await overview.page(tenant, {}, { after, limit });
            seen.push(...page.items.map(({ sessionId }) => sessionId));
            if (page.after === null) break;
            after = page.after;
            for (const { id, how } of steps) {
              if (gone.has(id)) continue;
              if (how === 'delete') gone.add(id);
              await commit({ [`${tenant}.${id}`]: how === 'delete' ? 'deleted' : failed });
            }
          }
          expect(seen).toEqual([...new Set(seen)]);
          expect(seen).toEqual(expect.arrayContaining(ids.filter((id) => !gone.has(id))));
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('the totals', () => {
  it('are of all sessions of the tenant but the deleted ones', async () => {
    await commit({
      'acme.a': running,
      'acme.b': failed,
      'acme.c': {},
      'acme.d': 'deleted',
      'other.e': running,
    });
    expect(await overview.totals('acme')).toEqual({
      sessions: 3,
      byActivity: { running: 1, failed: 1, idle: 1 },
      pending: 3,
      inProgress: 1,
      completed: 3,
    });
    await commit({ 'acme.a': 'deleted', 'acme.b': running });
    expect(await overview.totals('acme')).toMatchObject({
      sessions: 2,
      byActivity: { running: 1, idle: 1 },
    });
  });

  it('of nobody are nothing', async () => {
    const none = { sessions: 0, byActivity: {}, pending: 0, inProgress: 0, completed: 0 };
    expect(await overview.totals('acme')).toEqual(none);
  });
});

describe('changes', () => {
  it('are each session as it is now, by rising numbers, deletions too', async () => {
    await commit({ 'acme.a': running, 'acme.b': running });
    await commit({ 'other.x': running });
    await commit({ 'acme.b': 'deleted', 'acme.a': failed });
    expect(await overview.changesAfter('acme', 1, 10)).toEqual([
      { kind: 'deleted', change: 4, sessionId: 'b' },
      { kind: 'session', change: 5, item: expect.objectContaining({ sessionId: 'a' }) as unknown },
    ]);
    expect(await overview.lastChange()).toBe(5);
  });

  it('wake the followers of their tenant alone, once for a commit', async () => {
    const acme = jest.fn();
    const other = jest.fn();
    const leave = [overview.follow('acme', acme), overview.follow('other', other)];
    await commit({ 'acme.a': running, 'acme.b': running });
    expect([acme.mock.calls.length, other.mock.calls.length]).toEqual([1, 0]);
    leave[0]?.();
    leave[0]?.();
    await commit({ 'acme.a': failed, 'other.a': failed });
    expect([acme.mock.calls.length, other.mock.calls.length]).toEqual([1, 1]);
    leave[1]?.();
    expect(listeners.size).toBe(0);
  });

  it('are looked for every second, as another process may have made them', () => {
    jest.useFakeTimers();
    try {
      const wake = jest.fn();
      const leave = overview.follow('acme', wake);
      jest.advanceTimersByTime(2_500);
      expect(wake).toHaveBeenCalledTimes(2);
      leave();
      jest.advanceTimersByTime(5_000);
      expect(wake).toHaveBeenCalledTimes(2);
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  it('are read once for all followers that stand at one place, and never from before a commit', async () => {
    const heard: number[][] = [];
    const leave = [1, 2, 3].map(() =>
      overview.follow('acme', () => {
        void overview.changesAfter('acme', 0, 10).then((changes) => {
          heard.push(changes.map(({ change }) => change));
        });
      }),
    );
    // Read just before the commit: what it found must not be handed on after it.
    expect(await overview.changesAfter('acme', 0, 10)).toEqual([]);
    await commit({ 'acme.a': running });
    await new Promise(setImmediate);
    expect(heard).toEqual([[1], [1], [1]]);
    expect(reads).toHaveBeenCalledTimes(2);
    for (const one of leave) one();
  });
});
