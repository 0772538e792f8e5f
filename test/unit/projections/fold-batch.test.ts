/** Batches: each row once, parking, and equality with a fold event by event. */
import fc from 'fast-check';
import type { StoredEvent } from '../../../src/events/log/event-log.js';
import type { RowEntry } from '../../../src/projections/read-model/read-model.js';
import { foldBatch, type FoldedBatch } from '../../../src/projections/runtime/fold-batch.js';
import { sessionTodosProjection } from '../../../src/projections/session-todos/session-todos.projection.js';
import type { SessionTodosRow } from '../../../src/projections/session-todos/session-todos.row.js';
import {
  end,
  foreign,
  list,
  remove,
  start,
  stored,
  turn,
  write,
  type Told,
} from './session-scenario.js';

type Rows = Map<string, RowEntry<SessionTodosRow>>;

const broken: Told = { type: 'turn/start', data: {} };

function run(
  events: StoredEvent[],
  rows: Rows = new Map(),
  followed = false,
): FoldedBatch<SessionTodosRow> {
  const keys = events.map(sessionTodosProjection.key);
  return foldBatch(sessionTodosProjection, events, keys, rows, () => followed);
}

function keep(rows: Rows, { writes }: FoldedBatch<SessionTodosRow>): void {
  for (const entry of writes) rows.set(entry.key, { ...entry, change: rows.size });
}

describe('a batch', () => {
  it('writes each row once, whatever the number of events', () => {
    const told = [start, turn('t1'), write('t1', 'P:a'), write('t1', 'C:a')];
    const { writes, steps } = run([...stored(told, 0, 's1'), ...stored(told, 0, 's2')]);
    expect(writes.map(({ key }) => key)).toEqual(['default.s1', 'default.s2']);
    expect(writes[0]?.row).toMatchObject({ revision: '3', todos: list('C:a') });
    expect(steps.size).toBe(0);
  });

  it('keeps every state of a followed key, in order', () => {
    const { writes, steps } = run(
      stored([start, turn('t1'), foreign, write('t1', 'P:a')]),
      new Map(),
      true,
    );
    const shown = steps.get('default.s1') ?? [];
    expect(shown.map(({ row }) => row?.revision)).toEqual(['0', '1', '3']);
    expect(shown.at(-1)).toBe(writes[0]);
  });

  it('of events that are not ours writes nothing, and makes no row', () => {
    expect(run(stored([foreign, foreign])).writes).toEqual([]);
  });
});

describe('parking', () => {
  it('stops a key at the event that cannot be folded, and only that key', () => {
    const bad = stored([start, turn('t1'), write('t1', 'P:a'), broken, write('t1', 'C:a')]);
    const { writes } = run([...bad, ...stored([start, turn('t1')], 0, 's2')]);
    expect(writes[0]).toMatchObject({
      epoch: 1,
      parked: { stream: 'agentSession-default.s1', revision: 3n, at: '2026-11-30T09:00:03.000Z' },
      row: { revision: '2', todos: list('P:a') },
    });
    expect(writes[0]?.parked?.reason).toContain('turn/start cannot be read');
    expect(writes[1]).toMatchObject({ key: 'default.s2', parked: undefined, epoch: 0 });
  });

  it('holds over later batches: nothing is applied behind the fault (faults.md C 10)', () => {
    const rows: Rows = new Map();
    keep(rows, run(stored([start, broken])));
    expect(run(stored([turn('t1'), write('t1', 'P:a'), broken], 2), rows).writes).toEqual([]);
  });

  it('at the first event keeps no row', () => {
    const { writes } = run(stored([{ type: 'session/start', data: 1 }]));
    expect(writes[0]).toMatchObject({ row: undefined, epoch: 1, parked: { revision: 0n } });
  });

  it('ends with session/delete, which always applies', () => {
    const rows: Rows = new Map();
    keep(rows, run(stored([start, broken])));
    const { writes } = run(stored([write('t1', 'P:a'), remove], 2), rows);
    expect(writes).toEqual([
      {
        key: 'default.s1',
        row: expect.objectContaining({ kind: 'deleted', revision: '3' }) as unknown,
        epoch: 1,
        parked: undefined,
      },
    ]);
  });
});

describe('any batches', () => {
  const told = fc.oneof(
    fc.constantFrom(
      start,
      foreign,
      turn('t1'),
      turn('t2'),
      end('t1', 'aborted'),
      end('t2', 'failed'),
    ),
    fc.constantFrom(write('t1', 'P:a', 'I:b'), write('t2', 'C:a'), write('t1')),
    fc.constantFrom({ type: 'todo/write', data: {} }),
    fc.constantFrom(broken, remove),
  );
  const history = fc.array(fc.record({ session: fc.constantFrom('s1', 's2', 's3'), told }), {
    maxLength: 40,
  });

  it('give what a fold event by event gives, followed or not', () => {
    fc.assert(
      fc.property(
        history,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        fc.boolean(),
        (log, sizes, followed) => {
          const next = new Map<string, number>();
          const events = log.flatMap(({ session, told: one }) => {
            const revision = next.get(session) ?? 0;
            next.set(session, revision + 1);
            return stored([one], revision, session);
          });
          const single: Rows = new Map();
          for (const event of events) keep(single, run([event], single));
          const batched: Rows = new Map();
          for (let at = 0, turnOf = 0; at < events.length; turnOf += 1) {
            const size = sizes[turnOf % sizes.length] ?? 1;
            keep(batched, run(events.slice(at, at + size), batched, followed));
            at += size;
          }
          const plain = (rows: Rows) =>
            [...rows]
              .map(([key, { row, epoch, parked }]) => ({ key, row, epoch, parked }))
              .sort((a, b) => (a.key < b.key ? -1 : 1));
          expect(plain(batched)).toEqual(plain(single));
        },
      ),
    );
  });
});
