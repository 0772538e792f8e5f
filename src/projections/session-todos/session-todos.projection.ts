/**
 * `session-todos`: the standing plan of each session. Each event's effect is one row of the
 * table in the design, section 3.
 */
import type { StoredEvent } from '../../events/log/event-log.js';
import { parseSessionEvent } from '../../events/parse-session-event.js';
import { SESSION_DELETE, TODO_WRITE, type SessionEvent } from '../../events/session-events.js';
import { SESSION_STREAM_PREFIX, sessionKeyOfStream } from '../../events/session-stream.js';
import { incoherence } from '../../events/turn-coherence.js';
import { defineProjection } from '../runtime/define-projection.js';
import {
  INITIAL_ROW,
  rowJson,
  sessionTodosRow,
  type SessionTodosRow,
  type StandingSession,
} from './session-todos.row.js';

export const sessionTodosProjection = defineProjection<SessionTodosRow>({
  name: 'session-todos',
  version: 1,
  prefix: SESSION_STREAM_PREFIX,
  row: sessionTodosRow,
  toJson: rowJson,
  initial: INITIAL_ROW,
  key: (event) => sessionKeyOfStream(event.stream),
  stream: (key) => SESSION_STREAM_PREFIX + key,
  evolve,
  appliesWhenParked: (event) => event.type === SESSION_DELETE,
});

/** What an event's place in its stream says of the row: that, and nothing else, is its version. */
type Version = Pick<StandingSession, 'revision' | 'updatedAt'>;

/**
 * The row after an event. The same row for an event that is not ours.
 *
 * @throws {UnreadableEventError} an event of a turn or session that does not parse: guessing
 *   what it said could show one turn's list as another's
 * @throws {IncoherentEventError} an event that cannot lie where it does
 */
function evolve(row: SessionTodosRow, stored: StoredEvent): SessionTodosRow {
  // A tombstone stands for ever.
  if (row.kind === 'deleted') return row;
  // Whatever its data says: someone wanted the text gone.
  if (stored.type === SESSION_DELETE) return { kind: 'deleted', ...versionOf(stored) };
  const parsed = parseSessionEvent(stored);
  switch (parsed.kind) {
    case 'foreign':
      return row;
    case 'event':
      return apply(row, parsed.event, versionOf(stored));
    case 'unreadable':
      if (parsed.type !== TODO_WRITE || isBeforeFirst(row)) {
        throw new UnreadableEventError(parsed.type, parsed.reason);
      }
      // The next list replaces it whole: skipped, counted and shown (reports 61).
      return { ...row, problems: row.problems + 1, ...versionOf(stored) };
  }
}

/** Nothing of ours has come yet: a list there has lost what was before it. */
function isBeforeFirst(row: StandingSession): boolean {
  return row.revision === INITIAL_ROW.revision;
}

function apply(row: StandingSession, event: SessionEvent, version: Version): SessionTodosRow {
  const { turn } = row;
  const fault = incoherence(turn && { id: turn.id, open: turn.state === 'open' }, event);
  if (fault !== undefined) throw new IncoherentEventError(fault);
  switch (event.type) {
    case 'session/start':
      return { ...INITIAL_ROW, problems: row.problems, ...version };
    case 'turn/start':
      return {
        ...row,
        ...(row.state === 'current' ? cleared(row) : {}),
        turn: { id: event.data.turnId, state: 'open', outcome: null },
        ...version,
      };
    case 'todo/write':
      // Not spread: this is done for each write.
      return {
        kind: row.kind,
        state: 'current',
        todos: event.data.todos,
        written: { turnId: event.data.turnId, revision: version.revision },
        turn: row.turn,
        previous: row.previous,
        problems: row.problems,
        revision: version.revision,
        updatedAt: version.updatedAt,
      };
    case 'turn/end':
      return {
        ...row,
        turn: { id: event.data.turnId, state: 'ended', outcome: event.data.outcome },
        ...version,
      };
    case 'session/delete':
      return { kind: 'deleted', ...version };
  }
}

/** The standing list goes; it becomes the previous one unless there was nothing in it. */
function cleared(
  row: StandingSession,
): Pick<StandingSession, 'state' | 'todos' | 'written' | 'previous'> {
  const { todos, written, turn } = row;
  const outcome = turn !== null && turn.id === written?.turnId ? turn.outcome : null;
  const previous = written && todos.length > 0 ? { todos, ...written, outcome } : row.previous;
  return { state: 'cleared', todos: [], written: null, previous };
}

function versionOf(stored: StoredEvent): Version {
  return { revision: stored.revision.toString(), updatedAt: stored.created.toISOString() };
}

/** An event of ours whose data is not of its shape. Parks its session. */
export class UnreadableEventError extends Error {
  readonly code = 'unreadable_event';
  override readonly name = 'UnreadableEventError';

  constructor(type: string, reason: string) {
    super(`${type} cannot be read: ${reason}`);
  }
}

/** An event of ours that no command could have written where it is. Parks its session, as its
 * commands are refused with `session_unreadable`. */
export class IncoherentEventError extends Error {
  readonly code = 'incoherent_event';
  override readonly name = 'IncoherentEventError';
}
