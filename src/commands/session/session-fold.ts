/** How the command runtime reads a session's stream. */
import { hash } from 'node:crypto';
import {
  SESSION_DELETE,
  SESSION_START,
  TODO_WRITE,
  TURN_START,
} from '../../events/session-events.js';
import { parseMetadata, parseSessionEvent } from '../../events/parse-session-event.js';
import type { Todo } from '../../events/todo.js';
import type { StreamFold } from '../runtime/decider.js';
import {
  ABSENT,
  evolveSession,
  INCOMPLETE,
  type SessionState,
  type StreamEvent,
} from './session-state.js';

export const sessionFold: StreamFold<SessionState, StreamEvent> = {
  initial: ABSENT,
  incomplete: INCOMPLETE,
  isBoundary: (type) => type === TURN_START || type === SESSION_START || type === SESSION_DELETE,
  parse(stored) {
    const parsed = parseSessionEvent(stored);
    if (parsed.kind === 'event') return parsed.event;
    if (parsed.kind === 'foreign') return undefined;
    // Whatever its data says: someone wanted the session gone.
    if (parsed.type === SESSION_DELETE) return { type: SESSION_DELETE, data: {} };
    return { type: 'unreadable', of: parsed.type, reason: parsed.reason };
  },
  // The last list stands; an unreadable one replaces nothing.
  replacesEarlier: (event) => event.type === TODO_WRITE,
  commandIdOf: (stored) => parseMetadata(stored)?.$causationId,
  evolve: evolveSession,
  fingerprint(event) {
    switch (event.type) {
      case 'turn/start':
        return startTurnFingerprint(event.data.turnId);
      case 'todo/write':
        return writeTodosFingerprint(event.data.turnId, event.data.todos);
      case 'turn/end':
        return endTurnFingerprint(event.data.turnId, event.data.outcome);
      case 'session/start':
        return event.data.origin.kind === 'fork'
          ? forkFingerprint(event.data.origin.sessionId)
          : event.type;
      default:
        return event.type;
    }
  },
};

/** What a StartTurn asks for is the turn it opens. */
export function startTurnFingerprint(turnId: string): string {
  return `turn/start ${turnId}`;
}

/** A digest, since a turn may hold many lists. Fields are named one by one: stored order varies.
 * With its length before it a content cannot be taken for something else. */
export function writeTodosFingerprint(turnId: string, todos: readonly Todo[]): string {
  let content = '';
  for (const todo of todos) content += `${todo.content.length} ${todo.content}${todo.status}`;
  return `todo/write ${turnId} ${hash('sha256', content, 'base64url')}`;
}

export function endTurnFingerprint(turnId: string, outcome: string): string {
  return `turn/end ${turnId} ${outcome}`;
}

export function forkFingerprint(sourceId: string): string {
  return `session/start ${sourceId}`;
}
