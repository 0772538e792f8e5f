/** A session's checklist as readers see it (design, section 4, "The view"). */
import type { TurnOutcome } from '../../events/session-events.js';
import { countTodos, type Todo, type TodoCounts } from '../../events/todo.js';
import { listJson } from './list-json.js';
import { previousJson, type StandingSession } from './session-todos.row.js';

/** What the list says about the work. */
export type Activity = 'idle' | 'running' | 'finished' | 'failed' | 'interrupted';

export interface TurnView {
  readonly id: string;
  readonly state: 'open' | 'ended';
  /** Null while the turn is open. */
  readonly outcome: TurnOutcome | null;
}

/** The last list, not empty, that a turn cleared. */
export interface PreviousListView {
  readonly todos: readonly Todo[];
  readonly turnId: string;
  /** How that turn ended; null where the log does not say. */
  readonly outcome: TurnOutcome | null;
  /** Of its `todo/write`. */
  readonly revision: string;
}

export interface SessionTodosView {
  readonly sessionId: string;
  /** A list can be empty because it was never written, written empty, or cleared. */
  readonly state: 'never-written' | 'current' | 'cleared';
  readonly todos: readonly Todo[];
  readonly counts: TodoCounts;
  readonly revision: string;
  /** Null before the first turn. */
  readonly turn: TurnView | null;
  readonly activity: Activity;
  readonly previous: PreviousListView | null;
  /** Lists that could not be read and were skipped. */
  readonly problems: number;
  /** True when an event could not be folded: the view stands still until it is repaired. */
  readonly parked: boolean;
  readonly epoch: number;
  /** ISO 8601. */
  readonly updatedAt: string;
}

/**
 * The view of a session. Its fields are in the order of the contract.
 *
 * @param standing what the runtime knows of the row besides its content
 */
export function toView(
  sessionId: string,
  row: StandingSession,
  standing: { readonly parked: boolean; readonly epoch: number },
): SessionTodosView {
  const { state, todos, turn, previous, problems, revision, updatedAt } = row;
  const counts = countTodos(todos);
  return {
    sessionId,
    state,
    todos: todos.map(({ content, status }) => ({ content, status })),
    counts,
    revision,
    turn: turnOf(turn),
    activity: activityOf(counts, turn),
    previous: previous && {
      todos: previous.todos.map(({ content, status }) => ({ content, status })),
      turnId: previous.turnId,
      outcome: previous.outcome,
      revision: previous.revision,
    },
    problems,
    parked: standing.parked,
    epoch: standing.epoch,
    updatedAt,
  };
}

/** The view as JSON: the same text as `JSON.stringify` of {@link toView} gives, at less cost. */
export function viewJson(
  sessionId: string,
  row: StandingSession,
  standing: { readonly parked: boolean; readonly epoch: number },
): string {
  const { state, todos, turn, previous, problems, revision, updatedAt } = row;
  const counts = countTodos(todos);
  const activity = activityOf(counts, turn);
  const { parked, epoch } = standing;
  const head = JSON.stringify({ sessionId, state });
  const middle = JSON.stringify({ counts, revision, turn: turnOf(turn), activity });
  const tail = JSON.stringify({ problems, parked, epoch, updatedAt });
  return (
    `${head.slice(0, -1)},"todos":${listJson(todos)},${middle.slice(1, -1)},` +
    `"previous":${previousJson(previous)},${tail.slice(1)}`
  );
}

function turnOf(turn: StandingSession['turn']): TurnView | null {
  return turn && { id: turn.id, state: turn.state, outcome: turn.outcome };
}

/** Speaks of the list; the first match decides. */
export function activityOf(counts: TodoCounts, turn: TurnView | null): Activity {
  if (counts.total === 0) return 'idle';
  if (turn?.state === 'open') return 'running';
  if (counts.completed === counts.total) return 'finished';
  return turn?.outcome === 'failed' ? 'failed' : 'interrupted';
}
