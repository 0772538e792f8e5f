/**
 * A session as its commands see it, folded from the latest turn on. Total: whatever a stream
 * shows, there is a state for it.
 */
import type { Placement, Recorded } from '../runtime/decider.js';
import type { SessionEvent, SessionEventType, TurnOutcome } from '../../events/session-events.js';
import { countTodos, type TodoCounts } from '../../events/todo.js';
import { incoherence } from '../../events/turn-coherence.js';

/** One of ours, or one of ours that cannot be read. */
export type StreamEvent =
  | SessionEvent
  | { readonly type: 'unreadable'; readonly of: SessionEventType; readonly reason: string };

/** The latest turn. */
export interface TurnState {
  readonly id: string;
  /** How and where it ended; null while it is open. */
  readonly ended: ({ readonly outcome: TurnOutcome } & Placement) | null;
}

export type SessionState =
  /** No event of ours. */
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'live';
      /** Of the last event of ours: what If-Match is compared with. */
      readonly revision: bigint;
      /** Null before the first turn. */
      readonly turn: TurnState | null;
      /** Of the list as it stands. */
      readonly counts: TodoCounts;
      /** Of this turn's latest list; null where there is none. */
      readonly writtenAt: bigint | null;
    }
  | ({ readonly kind: 'deleted' } & Placement)
  /** The readable part is incoherent: nothing is guessed. */
  | { readonly kind: 'unreadable'; readonly revision: bigint; readonly reason: string };

export type LiveSession = Extract<SessionState, { kind: 'live' }>;

const NO_ITEMS = countTodos([]);

export const ABSENT: SessionState = { kind: 'absent' };

/** The readable part does not begin with the start of a session or a turn. */
export const INCOMPLETE: SessionState = {
  kind: 'unreadable',
  revision: 0n,
  reason: 'the events before the readable ones are gone',
};

/** Folds one event. Pure. */
export function evolveSession(
  state: SessionState,
  { event, revision, position }: Recorded<StreamEvent>,
): SessionState {
  switch (event.type) {
    case 'session/start':
      return { kind: 'live', revision, turn: null, counts: NO_ITEMS, writtenAt: null };
    case 'turn/start': {
      const turn = { id: event.data.turnId, ended: null };
      return { kind: 'live', revision, turn, counts: NO_ITEMS, writtenAt: null };
    }
    case 'session/delete':
      return { kind: 'deleted', revision, position };
    case 'todo/write':
    case 'turn/end':
      if (state.kind === 'live') return evolveTurn(state, event, { revision, position });
      if (state.kind === 'deleted') return state;
      return unreadable(state, revision, `${event.type} outside a turn`);
    case 'unreadable':
      // The next list replaces an unreadable one whole; a turn cannot be guessed.
      if (event.of === 'todo/write' && state.kind === 'live') return { ...state, revision };
      if (state.kind === 'deleted') return state;
      return unreadable(state, revision, `${event.of} cannot be read (${event.reason})`);
  }
}

function evolveTurn(
  state: LiveSession,
  event: Extract<SessionEvent, { type: 'todo/write' | 'turn/end' }>,
  at: Placement,
): SessionState {
  const { revision } = at;
  const { turn } = state;
  const fault = incoherence(turn && { id: turn.id, open: turn.ended === null }, event);
  if (fault !== undefined) return unreadable(state, revision, fault);
  if (event.type === 'todo/write') {
    // Not spread: this is done for each write.
    const counts = countTodos(event.data.todos);
    return { kind: 'live', revision, turn, counts, writtenAt: revision };
  }
  const { turnId: id, outcome } = event.data;
  return { ...state, revision, turn: { id, ended: { outcome, ...at } } };
}

function unreadable(state: SessionState, revision: bigint, reason: string): SessionState {
  return state.kind === 'unreadable'
    ? { ...state, revision }
    : { kind: 'unreadable', revision, reason };
}
