/**
 * The view and the commands agree on any stream, whoever wrote it: where commands go on, the
 * view shows the same turn and list; where they refuse with session_unreadable, it is parked.
 */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { loadToBoundary } from '../../../src/commands/runtime/load-stream.js';
import { sessionFold } from '../../../src/commands/session/session-fold.js';
import type { SessionState } from '../../../src/commands/session/session-state.js';
import type { JsonObject } from '../../../src/events/log/event-log.js';
import { TURN_OUTCOMES } from '../../../src/events/session-events.js';
import { sessionStream } from '../../../src/events/session-stream.js';
import { countTodos } from '../../../src/events/todo.js';
import { sessionTodosProjection } from '../../../src/projections/session-todos/session-todos.projection.js';
import type { SessionTodosRow } from '../../../src/projections/session-todos/session-todos.row.js';
import { MemoryEventLog } from '../../../src/testing/memory-event-log.js';
import { stored as storedEvents } from './session-scenario.js';

interface Written {
  readonly type: string;
  readonly data: JsonObject;
}

const stream = sessionStream({ tenant: 'default', sessionId: 's1' });

const turnId = fc.constantFrom('t1', 't2');
const status = fc.constantFrom('pending', 'in_progress', 'completed');
const readable: fc.Arbitrary<Written> = fc.oneof(
  fc.constant({ type: 'session/start', data: { origin: { kind: 'new' } } }),
  turnId.map((id) => ({ type: 'turn/start', data: { turnId: id } })),
  fc
    .record({
      turnId,
      todos: fc.array(fc.record({ content: fc.constant('a'), status }), { maxLength: 3 }),
    })
    .map((data) => ({ type: 'todo/write', data })),
  fc
    .record({ turnId, outcome: fc.constantFrom(...TURN_OUTCOMES) })
    .map((data) => ({ type: 'turn/end', data })),
  fc.constant({ type: 'message/append', data: {} }),
);
const bad: fc.Arbitrary<Written> = fc
  .constantFrom('session/start', 'turn/start', 'todo/write', 'turn/end')
  .map((type) => ({ type, data: { turnId: 7 } }));
// What comes after a deletion is not looked at: a load ends at the latest turn start.
const last: fc.Arbitrary<Written[]> = fc
  .boolean()
  .map((deleted) => (deleted ? [{ type: 'session/delete', data: {} }] : []));
/** Mostly in order, so that some get far. */
const lawful: fc.Arbitrary<Written[]> = fc.constant([
  { type: 'session/start', data: { origin: { kind: 'new' } } },
  { type: 'turn/start', data: { turnId: 't1' } },
]);
const events = fc
  .tuple(
    fc.oneof(fc.constant<Written[]>([]), lawful),
    fc.array(fc.oneof({ weight: 9, arbitrary: readable }, { weight: 1, arbitrary: bad }), {
      maxLength: 12,
    }),
    last,
  )
  .map((parts) => parts.flat());

/** What both sides can say of a session. */
function asTheViewSays(row: SessionTodosRow): unknown {
  if (row.kind === 'deleted') return { kind: 'deleted', revision: row.revision };
  const { turn, todos, revision } = row;
  const shown = turn && { id: turn.id, outcome: turn.outcome, open: turn.state === 'open' };
  return { kind: 'live', revision, turn: shown, counts: countTodos(todos) };
}

function asTheCommandsSay(state: SessionState): unknown {
  if (state.kind !== 'live') {
    return state.kind === 'deleted'
      ? { kind: 'deleted', revision: state.revision.toString() }
      : { kind: state.kind };
  }
  const { turn, counts, revision } = state;
  const known = turn && {
    id: turn.id,
    outcome: turn.ended?.outcome ?? null,
    open: turn.ended === null,
  };
  return { kind: 'live', revision: revision.toString(), turn: known, counts };
}

it('on every event up to the first that cannot be read, and on that one', async () => {
  const seen = { live: 0, parked: 0, deleted: 0 };
  await fc.assert(
    fc.asyncProperty(events, fc.nat(3), async (written, gone) => {
      const log = new MemoryEventLog();
      let row = sessionTodosProjection.initial;
      for (const [index, { type, data }] of written.entries()) {
        const event = { id: randomUUID(), type, data, metadata: {} };
        await log.append(stream, index === 0 ? 'no_stream' : BigInt(index - 1), [event]);
        // An operator's $maxCount, or a bad restore: the beginning is gone.
        if (index < gone) await log.truncate(stream, BigInt(gone));
        if (index < gone - 1) continue;
        const { state } = await loadToBoundary(log, sessionFold, stream);
        for await (const stored of log.read(stream, { direction: 'backwards', limit: 1 })) {
          const before = row;
          try {
            row = sessionTodosProjection.evolve(row, stored) ?? row;
          } catch {
            seen.parked += 1;
            expect(state.kind).toBe('unreadable');
            return;
          }
          // Nothing of ours so far: there is no session to speak of.
          if (row === sessionTodosProjection.initial) continue;
          seen[row.kind === 'deleted' ? 'deleted' : 'live'] += 1;
          expect(asTheCommandsSay(state)).toEqual(asTheViewSays(row));
          if (row === before) expect(type).toBe('message/append');
        }
      }
      await log.close();
    }),
    { numRuns: 600 },
  );
  // The property speaks of something.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(50);
});

it.each([undefined, null, 'text', []])('on a deletion with data %j', (data) => {
  const [stored] = storedEvents([{ type: 'session/delete', data }], 5);
  if (stored === undefined) throw new Error('no event');
  expect(sessionFold.parse(stored)?.type).toBe('session/delete');
  expect(sessionTodosProjection.evolve(sessionTodosProjection.initial, stored)).toMatchObject({
    kind: 'deleted',
  });
});
