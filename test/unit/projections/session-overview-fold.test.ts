/** The fold of `session-overview`, and that it says what `session-todos` says. */
import fc from 'fast-check';
import { TURN_OUTCOMES } from '../../../src/events/session-events.js';
import type { RowEntry } from '../../../src/projections/read-model/read-model.js';
import {
  changeOf,
  itemOf,
  type OverviewItem,
} from '../../../src/projections/session-overview/overview-item.js';
import { sessionOverviewProjection } from '../../../src/projections/session-overview/session-overview.projection.js';
import type { SessionOverviewRow } from '../../../src/projections/session-overview/session-overview.row.js';
import { toView } from '../../../src/projections/session-todos/session-todos.view.js';
import {
  end,
  fold as foldTodos,
  foreign,
  remove,
  start,
  stored,
  timeOf,
  turn,
  write,
  type Told,
} from './session-scenario.js';

const open = [start, turn('t1')];

function fold(told: readonly Told[]): SessionOverviewRow {
  let row: SessionOverviewRow = sessionOverviewProjection.initial;
  for (const event of stored(told)) {
    const next = sessionOverviewProjection.evolve(row, event);
    if (next === null) throw new Error('the fold never removes a row');
    row = next;
  }
  return row;
}

function entryOf(row: SessionOverviewRow | undefined): RowEntry<SessionOverviewRow> {
  return { key: 'default.s1', row, epoch: 0, parked: undefined, change: 7 };
}

/** The time of the event at a revision, and so many seconds. */
const at = (revision: number, seconds = 0): number =>
  Date.parse(timeOf(revision)) + seconds * 1_000;

function item(told: readonly Told[], now = at(told.length)): OverviewItem {
  const found = itemOf(entryOf(fold(told)), now);
  if (found === undefined) throw new Error('the session is deleted');
  return found;
}

/** The columns that a query filters and adds up by. */
function columns(row: SessionOverviewRow): Record<string, string | number | null> {
  return Object.fromEntries(
    (sessionOverviewProjection.columns ?? []).map(({ name, value }) => [name, value(row)]),
  );
}

describe('an item', () => {
  it('says in short how a session stands, in the order of the contract', () => {
    const told = [...open, write('t1', 'C:read', 'I:fix', 'P:test', 'I:docs')];
    expect(JSON.stringify(item(told, at(2, 90)))).toBe(
      JSON.stringify({
        sessionId: 's1',
        state: 'current',
        counts: { pending: 1, inProgress: 2, completed: 1, total: 4 },
        active: ['fix', 'docs'],
        turn: { id: 't1', state: 'open', outcome: null },
        activity: 'running',
        stalledForMs: 90_000,
        revision: '2',
        updatedAt: timeOf(2),
      }),
    );
  });

  it('of a session that was never written is empty', () => {
    expect(item([start])).toEqual({
      sessionId: 's1',
      state: 'never-written',
      counts: { pending: 0, inProgress: 0, completed: 0, total: 0 },
      active: [],
      turn: null,
      activity: 'idle',
      stalledForMs: null,
      revision: '0',
      updatedAt: timeOf(0),
    });
  });

  it('of a session that a new turn has cleared is empty', () => {
    const told = [...open, write('t1', 'I:a'), end('t1', 'aborted'), turn('t2')];
    expect(item(told)).toMatchObject({
      state: 'cleared',
      counts: { total: 0 },
      active: [],
      turn: { id: 't2', state: 'open' },
      activity: 'idle',
    });
  });

  it('keeps its list after the turn, and its active items with it', () => {
    const told = [...open, write('t1', 'I:a', 'P:b'), end('t1', 'failed')];
    expect(item(told)).toMatchObject({ active: ['a'], activity: 'failed', state: 'current' });
  });

  it('belongs to its session: the id may hold dots', () => {
    const dotted = { ...entryOf(fold([start])), key: 'tenant_1.a.b.c' };
    expect(itemOf(dotted, 0)).toMatchObject({ sessionId: 'a.b.c' });
    expect(sessionOverviewProjection.scope?.('tenant_1.a.b.c')).toBe('tenant_1');
  });
});

describe('stalledForMs', () => {
  it('counts from the latest write of the open turn, not from other events', () => {
    const told = [...open, write('t1', 'P:a'), write('t1', 'I:a'), foreign];
    expect(item(told, at(3, 60)).stalledForMs).toBe(60_000);
  });

  it.each([
    ['before the turn has written', open],
    ['before the next turn has written', [...open, write('t1', 'P:a'), turn('t2')]],
    ['after the turn', [...open, write('t1', 'P:a'), end('t1', 'completed')]],
    ['of a late write after the turn', [...open, end('t1', 'failed'), write('t1', 'P:a')]],
  ])('is null %s', (_, told) => {
    expect(item(told, at(9, 600)).stalledForMs).toBeNull();
  });

  it('is never below zero, whatever the clocks say', () => {
    expect(item([...open, write('t1', 'P:a')], at(0)).stalledForMs).toBe(0);
  });

  it('counts from a write that cannot be read, too: the agent is at work', () => {
    const told = [...open, write('t1', 'I:a'), { type: 'todo/write', data: {} }];
    expect(item(told, at(3, 1))).toMatchObject({
      stalledForMs: 1_000,
      active: ['a'],
      revision: '3',
    });
  });
});

describe('a deleted session', () => {
  it('leaves no text, fits no filter, and is told as deleted', () => {
    const row = fold([...open, write('t1', 'I:secret'), remove]);
    expect(row).toEqual({ kind: 'deleted', revision: '3', updatedAt: at(3) });
    expect(itemOf(entryOf(row), 0)).toBeUndefined();
    expect(new Set(Object.values(columns(row)))).toEqual(new Set([null]));
    expect(changeOf(entryOf(row), 0)).toEqual({ kind: 'deleted', change: 7, sessionId: 's1' });
  });

  it.each([start, turn('t2'), write('t1', 'P:a'), end('t1', 'failed'), remove])(
    'is not undone by a late $type',
    (late) => {
      expect(fold([...open, remove, late])).toEqual(fold([...open, remove]));
    },
  );
});

describe('a parked session', () => {
  const parked = { stream: 's', revision: 4n, reason: 'r', at: timeOf(4) };

  it('shows its last row, and says that it stands still', () => {
    const entry = { ...entryOf(fold([...open, write('t1', 'I:a')])), parked };
    expect(itemOf(entry, at(2))).toEqual({
      ...item([...open, write('t1', 'I:a')], at(2)),
      parked: true,
    });
    expect(changeOf(entry, 0)).toMatchObject({ kind: 'session', item: { parked: true } });
  });

  it('that never had a row is shown as never written', () => {
    expect(itemOf({ ...entryOf(undefined), parked }, 0)).toMatchObject({
      state: 'never-written',
      turn: null,
      revision: '4',
      updatedAt: timeOf(4),
      parked: true,
    });
  });

  it.each(['session/start', 'turn/start', 'turn/end'])(
    'comes of a %s that cannot be read',
    (type) => {
      expect(() => fold([...open, { type, data: { turnId: 7 } }])).toThrow(
        `${type} cannot be read`,
      );
    },
  );
});

const id = fc.constantFrom('t1', 't2', 't3');
const items = fc.array(
  fc
    .tuple(fc.constantFrom('P', 'I', 'C'), fc.string())
    .map(([status, text]) => `${status}:${text}`),
  { maxLength: 6 },
);
const told: fc.Arbitrary<Told> = fc.oneof(
  fc.constant(start),
  id.map(turn),
  fc.tuple(id, items).map(([turnId, list]) => write(turnId, ...list)),
  fc.tuple(id, fc.constantFrom(...TURN_OUTCOMES)).map(([turnId, outcome]) => end(turnId, outcome)),
  fc.constant(foreign),
  fc.constant({ type: 'todo/write', data: { turnId: 't1' } }),
  fc.constant({ type: 'turn/end', data: {} }),
  fc.constant(remove),
);

it('says of every history what the session’s own view says, and parks where it parks', () => {
  fc.assert(
    fc.property(fc.array(told, { maxLength: 12 }), (events) => {
      const parksAt = (run: (some: readonly Told[]) => unknown): number =>
        events.findIndex((_, index) => {
          try {
            run(events.slice(0, index + 1));
            return false;
          } catch {
            return true;
          }
        });
      const parks = parksAt(foldTodos);
      expect(parksAt(fold)).toBe(parks);
      const before = parks < 0 ? events : events.slice(0, parks);
      const row = fold(before);
      const todos = foldTodos(before);
      expect(sessionOverviewProjection.row.parse(JSON.parse(JSON.stringify(row)))).toEqual(row);
      if (todos.kind === 'deleted') {
        expect(row).toEqual({ ...todos, updatedAt: Date.parse(todos.updatedAt) });
        return;
      }
      const view = toView('s1', todos, { parked: false, epoch: 0 });
      const { sessionId, state, counts, turn: latest, activity, revision, updatedAt } = view;
      const active = view.todos.flatMap(({ content, status }) =>
        status === 'in_progress' ? [content] : [],
      );
      const shown = { ...itemOf(entryOf(row), at(99)) };
      const { stalledForMs, ...rest } = shown;
      expect(rest).toEqual({
        sessionId,
        state,
        counts,
        active,
        turn: latest,
        activity,
        revision,
        updatedAt,
      });
      expect(stalledForMs).toBe(stalled(before));
      expect(columns(row)).toEqual({
        state,
        activity,
        pending: counts.pending,
        in_progress: counts.inProgress,
        completed: counts.completed,
        written_at:
          stalledForMs === null || stalledForMs === undefined ? null : at(99) - stalledForMs,
      });
    }),
    { numRuns: 500 },
  );
});

/** As the contract has it, over the whole history. */
function stalled(events: readonly Told[]): number | null {
  const since = events
    .map(({ type }) => type)
    .findLastIndex((type) => type !== 'todo/write' && type !== foreign.type);
  if (events[since]?.type !== 'turn/start') return null;
  const last = events.findLastIndex(({ type }) => type === 'todo/write');
  return last > since ? at(99) - at(last) : null;
}
