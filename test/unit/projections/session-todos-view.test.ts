/** The view: its shape, its order and what its activity says. */
import type { RowEntry } from '../../../src/projections/read-model/read-model.js';
import {
  compareVersions,
  isNewer,
  snapshotOf,
} from '../../../src/projections/session-todos/session-snapshot.js';
import {
  rowJson,
  sessionTodosRow,
  type SessionTodosRow,
} from '../../../src/projections/session-todos/session-todos.row.js';
import { end, fold, foreign, list, remove, start, turn, view, write } from './session-scenario.js';

const open = [start, turn('t1')];

const unordered = {
  todos: [{ more: 1, status: 'pending', content: 'a' }],
  turnId: 't1',
  more: 1,
};

function entry(row: SessionTodosRow | undefined, more = {}): RowEntry<SessionTodosRow> {
  return { key: 'default.s1', row, epoch: 0, parked: undefined, change: 1, ...more };
}

it('is the JSON of the contract, field by field in its order', () => {
  const told = [...open, write('t1', 'C:a', 'I:b', 'P:c'), end('t1', 'aborted'), turn('t2')];
  expect(JSON.stringify(view([...told, write('t2', 'P:c')]))).toBe(
    '{"sessionId":"s1","state":"current","todos":[{"content":"c","status":"pending"}],' +
      '"counts":{"pending":1,"inProgress":0,"completed":0,"total":1},"revision":"5",' +
      '"turn":{"id":"t2","state":"open","outcome":null},"activity":"running",' +
      '"previous":{"todos":[{"content":"a","status":"completed"},' +
      '{"content":"b","status":"in_progress"},{"content":"c","status":"pending"}],' +
      '"turnId":"t1","outcome":"aborted","revision":"2"},' +
      '"problems":0,"parked":false,"epoch":0,"updatedAt":"2026-11-30T09:00:05.000Z"}',
  );
});

it('has null for the turn and the previous list where there is none', () => {
  expect(view([start])).toMatchObject({ turn: null, previous: null, activity: 'idle' });
});

it('counts the very list it shows (reports 91)', () => {
  const { counts, todos } = view([...open, write('t1', 'C:a', 'C:b', 'I:c', 'P:d')]);
  expect(counts).toEqual({ pending: 1, inProgress: 1, completed: 2, total: 4 });
  expect(todos).toHaveLength(4);
});

describe('activity', () => {
  it.each([
    ['idle', [...open, write('t1')]],
    ['idle', [...open, write('t1'), end('t1', 'failed')]],
    ['running', [...open, write('t1', 'C:a')]],
    ['running', [...open, write('t1', 'P:a')]],
    ['finished', [...open, write('t1', 'C:a', 'C:b'), end('t1', 'completed')]],
    ['finished', [...open, write('t1', 'C:a'), end('t1', 'failed')]],
    ['failed', [...open, write('t1', 'C:a', 'I:b'), end('t1', 'failed')]],
    ['interrupted', [...open, write('t1', 'I:a'), end('t1', 'aborted')]],
    ['interrupted', [...open, write('t1', 'P:a'), end('t1', 'completed')]],
    ['interrupted', [...open, write('t1', 'P:a'), end('t1', 'superseded')]],
  ])('%s', (activity, told) => {
    expect(view(told)).toMatchObject({ activity });
  });
});

describe('snapshot', () => {
  it('is one object for one entry, its view and JSON made once', () => {
    const stored = entry(fold([...open, write('t1', 'P:a')]));
    const snapshot = snapshotOf('s1', stored);
    expect(snapshotOf('s1', stored)).toBe(snapshot);
    if (snapshot.state !== 'present') throw new Error('expected a session');
    expect(snapshot.view).toBe(snapshot.view);
    expect(snapshot.json).toBe(JSON.stringify(snapshot.view));
    expect(snapshot).toMatchObject({ revision: 2n, epoch: 0, parked: false });
  });

  it.each([
    ['no turn', [start]],
    ['a list', [...open, write('t1', 'P:"a"\\n\u2028 \ud800 é', 'I:b'), foreign]],
    ['a previous list', [...open, write('t1', 'P:a'), end('t1', 'failed'), turn('t2')]],
    ['a previous list and a list', [...open, write('t1', 'C:a'), turn('t2'), write('t2', 'P:b')]],
    ['fields it does not know', [...open, { type: 'todo/write', data: unordered }]],
    ['a deleted session', [...open, write('t1', 'P:a'), remove]],
  ])('and its row are written out as JSON.stringify writes them: %s', (_, told) => {
    const row = fold(told);
    const snapshot = snapshotOf('s"1', entry(row));
    if (snapshot.state === 'present') {
      expect(snapshot.json).toBe(JSON.stringify(snapshot.view));
      expect(snapshot.json).toBe(snapshot.json);
    }
    // The order of a row's fields is nobody's business.
    expect(JSON.parse(rowJson(row))).toEqual(row);
    expect(sessionTodosRow.parse(JSON.parse(rowJson(row)))).toEqual(row);
  });

  it('of a deleted session holds nothing but its version', () => {
    expect(snapshotOf('s1', entry(fold([...open, remove]), { epoch: 2 }))).toEqual({
      state: 'deleted',
      revision: 2n,
      epoch: 2,
    });
  });

  it('says parked, and keeps what was last shown', () => {
    const parked = { stream: 's', revision: 3n, reason: 'r', at: '2026-11-30T09:00:00.000Z' };
    const row = fold([...open, write('t1', 'P:a')]);
    const snapshot = snapshotOf('s1', entry(row, { parked, epoch: 1 }));
    expect(snapshot).toMatchObject({ state: 'present', parked: true, revision: 2n, epoch: 1 });
    if (snapshot.state !== 'present') throw new Error('expected a session');
    expect(snapshot.view).toMatchObject({ parked: true, epoch: 1, todos: list('P:a') });
  });

  it('of a session parked at its first event is empty and has a revision', () => {
    const parked = { stream: 's', revision: 0n, reason: 'r', at: '2026-11-30T09:00:00.000Z' };
    const snapshot = snapshotOf('s1', entry(undefined, { parked, epoch: 1 }));
    if (snapshot.state !== 'present') throw new Error('expected a session');
    expect(snapshot.view).toMatchObject({ state: 'never-written', revision: '0', parked: true });
    expect(snapshot.view.updatedAt).toBe(parked.at);
  });
});

describe('versions', () => {
  const at = (epoch: number, revision: bigint) => ({ epoch, revision });

  it('compare by epoch, then by revision: a higher epoch is never stale', () => {
    expect(compareVersions(at(0, 9n), at(0, 10n))).toBeLessThan(0);
    expect(compareVersions(at(1, 2n), at(0, 10n))).toBeGreaterThan(0);
    expect(compareVersions(at(1, 2n), at(1, 2n))).toBe(0);
    expect(isNewer(at(0, 2n), at(0, 2n))).toBe(false);
    expect(isNewer(at(0, 0n), undefined)).toBe(true);
    expect(isNewer(at(0, 2n ** 60n + 1n), at(0, 2n ** 60n))).toBe(true);
  });
});
