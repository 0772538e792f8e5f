/**
 * `session-overview`: one small row a session, for pages over a whole fleet. What a row says of a
 * session is what the session's own view says (`session-todos`): a test holds the two together.
 */
import type { StoredEvent } from '../../events/log/event-log.js';
import { parseSessionEvent } from '../../events/parse-session-event.js';
import { SESSION_DELETE, TODO_WRITE, type SessionEvent } from '../../events/session-events.js';
import { SESSION_STREAM_PREFIX, sessionKeyOfStream } from '../../events/session-stream.js';
import { countTodos, type Todo } from '../../events/todo.js';
import { incoherence } from '../../events/turn-coherence.js';
import type { RowColumn } from '../read-model/read-model.js';
import { defineProjection } from '../runtime/define-projection.js';
import {
  IncoherentEventError,
  UnreadableEventError,
} from '../session-todos/session-todos.projection.js';
import { activityOf } from '../session-todos/session-todos.view.js';
import {
  INITIAL_OVERVIEW,
  sessionOverviewRow,
  type OverviewSession,
  type SessionOverviewRow,
} from './session-overview.row.js';

/**
 * A page over many sessions need not show each write of a busy one: what follows within this time
 * is folded into one row and told once. A quiet fleet is shown at once.
 */
const GATHER_MS = 100;

/** All null for a deleted session: it fits no filter and counts in no total. */
const columns = [
  text('state', ({ state }) => state),
  text('activity', ({ counts, turn }) => activityOf(counts, turn)),
  integer('pending', ({ counts }) => counts.pending),
  integer('in_progress', ({ counts }) => counts.inProgress),
  integer('completed', ({ counts }) => counts.completed),
  integer('written_at', ({ writtenAt }) => writtenAt),
];

export const sessionOverviewProjection = defineProjection<SessionOverviewRow>({
  name: 'session-overview',
  version: 1,
  prefix: SESSION_STREAM_PREFIX,
  row: sessionOverviewRow,
  initial: INITIAL_OVERVIEW,
  key: (event) => sessionKeyOfStream(event.stream),
  stream: (key) => SESSION_STREAM_PREFIX + key,
  scope: tenantOfKey,
  columns,
  evolve,
  appliesWhenParked: (event) => event.type === SESSION_DELETE,
  gatherMs: GATHER_MS,
});

/** The tenant of a session's key: it has no dot, so the first one ends it. */
export function tenantOfKey(key: string): string {
  return key.slice(0, key.indexOf('.'));
}

/**
 * The row after an event. The same row for an event that is not ours.
 *
 * @throws {UnreadableEventError} | {IncoherentEventError} as `session-todos`: where its view
 *   stands still, so does the row
 */
function evolve(row: SessionOverviewRow, stored: StoredEvent): SessionOverviewRow {
  if (row.kind === 'deleted') return row;
  if (stored.type === SESSION_DELETE) return tombstoneOf(stored);
  const parsed = parseSessionEvent(stored);
  switch (parsed.kind) {
    case 'foreign':
      return row;
    case 'event':
      return apply(row, parsed.event, stored);
    case 'unreadable':
      if (parsed.type !== TODO_WRITE || row.revision === INITIAL_OVERVIEW.revision) {
        throw new UnreadableEventError(parsed.type, parsed.reason);
      }
      // The list is not known, but the agent is at work.
      return sessionOf(row, row.turn, writtenAt(row, stored), stored);
  }
}

function apply(row: OverviewSession, event: SessionEvent, stored: StoredEvent): SessionOverviewRow {
  const { turn } = row;
  const fault = incoherence(turn && { id: turn.id, open: turn.state === 'open' }, event);
  if (fault !== undefined) throw new IncoherentEventError(fault);
  // Field by field: V8 makes a new hidden class for each object that is spread.
  switch (event.type) {
    case 'session/start':
      return sessionOf(INITIAL_OVERVIEW, null, null, stored);
    case 'turn/start': {
      const opened = { id: event.data.turnId, state: 'open', outcome: null } as const;
      return sessionOf(row.state === 'current' ? CLEARED : row, opened, null, stored);
    }
    case 'todo/write': {
      const { todos } = event.data;
      const list = {
        state: 'current',
        counts: countTodos(todos),
        active: activeOf(todos),
      } as const;
      return sessionOf(list, turn, writtenAt(row, stored), stored);
    }
    case 'turn/end': {
      const { turnId: id, outcome } = event.data;
      return sessionOf(row, { id, state: 'ended', outcome }, null, stored);
    }
    case 'session/delete':
      return tombstoneOf(stored);
  }
}

/** What the row says of the list. */
type ListInShort = Pick<OverviewSession, 'state' | 'counts' | 'active'>;

function sessionOf(
  { state, counts, active }: ListInShort,
  turn: OverviewSession['turn'],
  writtenAt: number | null,
  { revision, created }: StoredEvent,
): OverviewSession {
  return {
    kind: 'session',
    state,
    counts,
    active,
    turn,
    writtenAt,
    revision: revision.toString(),
    updatedAt: created.getTime(),
  };
}

function tombstoneOf({ revision, created }: StoredEvent): SessionOverviewRow {
  return { kind: 'deleted', revision: revision.toString(), updatedAt: created.getTime() };
}

const CLEARED: ListInShort = {
  state: 'cleared',
  counts: INITIAL_OVERVIEW.counts,
  active: [],
};

function activeOf(todos: readonly Todo[]): string[] {
  const active: string[] = [];
  for (const { content, status } of todos) if (status === 'in_progress') active.push(content);
  return active;
}

/** Counted from only while a turn is open. */
function writtenAt({ turn }: OverviewSession, stored: StoredEvent): number | null {
  return turn?.state === 'open' ? stored.created.getTime() : null;
}

type OfSession<Value> = (session: OverviewSession) => Value;

function text(name: string, value: OfSession<string | null>): RowColumn<SessionOverviewRow> {
  return { name, type: 'text', value: (row) => (row.kind === 'deleted' ? null : value(row)) };
}

function integer(name: string, value: OfSession<number | null>): RowColumn<SessionOverviewRow> {
  return { name, type: 'integer', value: (row) => (row.kind === 'deleted' ? null : value(row)) };
}
