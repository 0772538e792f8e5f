/** What is answered for a session that has no view. */
import type { SessionSnapshot } from '../../projections/session-todos/session-snapshot.js';
import { Problem } from '../problem/problem.js';

/** A snapshot that has a view. */
export type PresentSnapshot = Extract<SessionSnapshot, { state: 'present' }>;

export function sessionNotFound(sessionId: string): Problem {
  return new Problem(
    'session_not_found',
    `there is no session ${sessionId}; its first turn creates it`,
  );
}

export function sessionDeleted(sessionId: string): Problem {
  return new Problem('session_deleted', `session ${sessionId} was deleted`);
}

export function sessionParked(sessionId: string): Problem {
  return new Problem(
    'session_parked',
    `an event of session ${sessionId} could not be folded and its view stands still; an operator has to retry or discard it`,
  );
}
