/** The fold of `session-todos`, row by row of the design's table. */
import { TURN_OUTCOMES } from '../../../src/events/session-events.js';
import { sessionTodosProjection } from '../../../src/projections/session-todos/session-todos.projection.js';
import {
  end,
  fold,
  foreign,
  list,
  remove,
  standing,
  start,
  stored,
  timeOf,
  turn,
  view,
  write,
} from './session-scenario.js';

const open = [start, turn('t1')];

describe('session/start', () => {
  it('makes a session that was never written', () => {
    expect(standing([start])).toEqual({
      kind: 'session',
      state: 'never-written',
      todos: [],
      written: null,
      turn: null,
      previous: null,
      problems: 0,
      revision: '0',
      updatedAt: timeOf(0),
    });
  });
});

describe('todo/write', () => {
  it('is the whole list, in its order', () => {
    const items = Array.from({ length: 14 }, (_, index) => `P:item ${index + 1}`);
    const row = standing([...open, write('t1', 'P:old', 'I:older'), write('t1', ...items)]);
    expect(row).toMatchObject({ state: 'current', revision: '3', updatedAt: timeOf(3) });
    expect(row.todos).toEqual(list(...items));
  });

  it('with no items is a current, empty list, not a cleared one', () => {
    const row = standing([...open, write('t1', 'P:a'), write('t1')]);
    expect(row).toMatchObject({ state: 'current', todos: [], revision: '3', previous: null });
  });

  it('is applied whatever turn it names: the command decides, the fold records', () => {
    expect(standing([...open, write('t0', 'P:late')]).todos).toEqual(list('P:late'));
  });

  it('two active items replay under any policy (reports 67)', () => {
    expect(standing([...open, write('t1', 'I:a', 'I:b')]).todos).toEqual(list('I:a', 'I:b'));
  });

  it('that does not parse is skipped, counted and shown, and the next one replaces it (reports 61)', () => {
    const noTodos = { type: 'todo/write', data: { turnId: 't1' } };
    const row = standing([...open, write('t1', 'P:a'), noTodos]);
    expect(row).toMatchObject({ problems: 1, revision: '3', updatedAt: timeOf(3) });
    expect(row.todos).toEqual(list('P:a'));
    const after = standing([...open, write('t1', 'P:a'), noTodos, write('t1', 'C:a')]);
    expect(after).toMatchObject({ problems: 1, revision: '4', todos: list('C:a') });
  });

  it.each([undefined, null, 'text', 7, [], { turnId: 't1', todos: {} }, { todos: [] }])(
    'with data %j is a problem, not a fault',
    (data) => {
      expect(standing([...open, { type: 'todo/write', data }])).toMatchObject({ problems: 1 });
    },
  );
});

describe('turn/start', () => {
  it('clears the current list and keeps it as the previous one', () => {
    const row = standing([...open, write('t1', 'I:a'), end('t1', 'aborted'), turn('t2')]);
    expect(row).toMatchObject({
      state: 'cleared',
      todos: [],
      written: null,
      turn: { id: 't2', state: 'open', outcome: null },
      previous: { todos: list('I:a'), turnId: 't1', outcome: 'aborted', revision: '2' },
      revision: '4',
    });
  });

  it('from never-written keeps the state', () => {
    const row = standing([...open, end('t1', 'completed'), turn('t2')]);
    expect(row).toMatchObject({ state: 'never-written', previous: null, revision: '3' });
  });

  it('from cleared keeps the state and the previous list', () => {
    const told = [...open, write('t1', 'P:a'), end('t1', 'failed'), turn('t2')];
    const row = standing([...told, end('t2', 'completed'), turn('t3')]);
    expect(row).toMatchObject({
      state: 'cleared',
      turn: { id: 't3' },
      previous: { todos: list('P:a'), turnId: 't1', outcome: 'failed', revision: '2' },
    });
  });

  it('clears an empty list without making it the previous one', () => {
    const told = [...open, write('t1', 'P:a'), end('t1', 'completed'), turn('t2')];
    const row = standing([...told, write('t2'), end('t2', 'completed'), turn('t3')]);
    expect(row).toMatchObject({ state: 'cleared', previous: { turnId: 't1', revision: '2' } });
  });

  it('without the end of the turn before it leaves the outcome open', () => {
    const row = standing([...open, write('t1', 'P:a'), turn('t2')]);
    expect(row.previous).toMatchObject({ turnId: 't1', outcome: null });
  });

  it('pushes an explicit empty list after a turn that wrote none (reports 22)', () => {
    const told = [...open, write('t1', 'P:plan'), end('t1', 'completed'), turn('t2')];
    const shown = view(told);
    expect(shown).toMatchObject({ state: 'cleared', todos: [], activity: 'idle', revision: '4' });
  });

  it('clears the list of an interrupted turn exactly once (reports 23)', () => {
    const told = [...open, write('t1', 'I:a'), end('t1', 'aborted')];
    const after = [turn('t2'), end('t2', 'completed'), turn('t3')];
    const cleared = after.map((_, count) => standing([...told, ...after.slice(0, count + 1)]));
    expect(cleared.map(({ state }) => state)).toEqual(['cleared', 'cleared', 'cleared']);
    expect(new Set(cleared.map(({ previous }) => previous?.revision))).toEqual(new Set(['2']));
  });
});

describe('turn/end', () => {
  it('keeps the list until the next turn starts (reports 29)', () => {
    const row = standing([...open, write('t1', 'I:a', 'P:b'), end('t1', 'aborted')]);
    expect(row).toMatchObject({
      state: 'current',
      todos: list('I:a', 'P:b'),
      turn: { id: 't1', state: 'ended', outcome: 'aborted' },
      revision: '3',
    });
  });

  it.each(TURN_OUTCOMES)('%s is handled as the others are (reports 38)', (outcome) => {
    const told = [...open, write('t1', 'I:a'), end('t1', outcome)];
    expect(standing(told)).toMatchObject({ state: 'current', turn: { state: 'ended', outcome } });
    expect(standing([...told, turn('t2')])).toMatchObject({
      state: 'cleared',
      previous: { outcome, todos: list('I:a') },
    });
  });

  it('leaves the items as they were written: the activity says they stand still (reports 37)', () => {
    const shown = view([...open, write('t1', 'I:a'), end('t1', 'aborted')]);
    expect(shown).toMatchObject({ activity: 'interrupted', todos: list('I:a') });
  });
});

describe('session/delete', () => {
  it('leaves a tombstone that holds no text', () => {
    const row = fold([...open, write('t1', 'P:secret'), remove]);
    expect(row).toEqual({ kind: 'deleted', revision: '3', updatedAt: timeOf(3) });
    expect(JSON.stringify(row)).not.toContain('secret');
  });

  it.each([start, turn('t2'), write('t1', 'P:a'), end('t1', 'failed'), remove, foreign])(
    'is not undone by a late $type',
    (late) => {
      expect(fold([...open, remove, late])).toEqual(fold([...open, remove]));
    },
  );

  it('is all that is left of a truncated stream, and enough', () => {
    expect(fold([remove], 41)).toMatchObject({ kind: 'deleted', revision: '41' });
  });

  it.each([undefined, null, 'text'])('applies with data %j', (data) => {
    expect(fold([...open, { type: 'session/delete', data }])).toMatchObject({ kind: 'deleted' });
  });
});

describe('other events', () => {
  it('of another type change nothing, not even the revision (reports 34)', () => {
    const told = [...open, write('t1', 'I:a')];
    expect(fold([...told, foreign, foreign])).toEqual(fold(told));
  });

  it.each(['session/start', 'turn/start', 'turn/end'])('%s that does not parse throws', (type) => {
    expect(() => fold([...open, { type, data: { turnId: 7 } }])).toThrow(`${type} cannot be read`);
  });
});

describe('an event that no command wrote there', () => {
  it.each([
    ['a list before any turn', [start, write('t1', 'P:a')]],
    ['a list with nothing before it', [write('t1', 'P:a')]],
    ['a list that cannot be read, with nothing before it', [{ type: 'todo/write', data: {} }]],
    ['an end before any turn', [start, end('t1', 'completed')]],
    ['the end of another turn than the open one', [...open, end('t0', 'completed')]],
    ['a second end', [...open, end('t1', 'completed'), end('t1', 'completed')]],
  ])('%s throws, so that the session is parked', (_, told) => {
    expect(() => fold(told)).toThrow();
  });
});

describe('a placeholder', () => {
  it('never counts as a revision: the first written one is above it (reports 44)', () => {
    expect(BigInt(standing([]).revision)).toBeLessThan(0n);
    expect(standing([start])).toMatchObject({ state: 'never-written', revision: '0' });
    expect(view([...open, write('t1', 'P:a'), write('t1')])).toMatchObject({
      state: 'current',
      todos: [],
      revision: '3',
    });
  });

  it('is told apart from an emptied list and a cleared one (reports 32)', () => {
    const told = [...open, write('t1', 'P:a')];
    const states = [open, [...told, write('t1')], [...told, turn('t2')]].map((one) => view(one));
    expect(states.map(({ state }) => state)).toEqual(['never-written', 'current', 'cleared']);
    expect(states.every(({ todos }) => todos.length === 0)).toBe(true);
  });
});

describe('the row', () => {
  it('survives the disk: every state parses back as it was', () => {
    const told = [...open, write('t1', 'I:a'), end('t1', 'superseded'), turn('t2'), write('t2')];
    for (let count = 0; count <= told.length; count += 1) {
      const row = fold(told.slice(0, count));
      const back: unknown = JSON.parse(JSON.stringify(row));
      expect(sessionTodosProjection.row.parse(back)).toEqual(row);
    }
    expect(sessionTodosProjection.row.parse(fold([remove]))).toEqual(fold([remove]));
  });

  it('keeps a revision above 2^53 (faults.md C 59)', () => {
    const [event] = stored([start]);
    if (!event) throw new Error('no event');
    const revision = 2n ** 60n + 1n;
    const row = sessionTodosProjection.evolve(sessionTodosProjection.initial, {
      ...event,
      revision,
    });
    expect(row).toMatchObject({ revision: revision.toString() });
  });

  it('belongs to its session: another stream has no key', () => {
    const [event] = stored([start]);
    if (!event) throw new Error('no event');
    expect(sessionTodosProjection.key(event)).toBe('default.s1');
    expect(sessionTodosProjection.key({ ...event, stream: 'agentSession-BAD' })).toBeUndefined();
  });
});
