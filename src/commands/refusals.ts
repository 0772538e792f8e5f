/**
 * Every way a command can be refused: a closed set with stable codes. A refusal stores
 * nothing, and its text says what to do.
 */

export { CommandFailedError, type FailureCode } from './runtime/command-failed.js';

/** Refused by a decider: the caller can act on it. */
export type RefusalCode =
  | 'session_not_found'
  | 'session_deleted'
  | 'session_exists'
  | 'session_unreadable'
  | 'turn_already_open'
  | 'turn_not_open'
  | 'turn_mismatch'
  | 'turn_id_reused'
  | 'idempotency_conflict'
  | 'revision_conflict'
  | 'invalid_todos'
  | 'too_many_in_progress'
  | 'actor_not_allowed'
  | 'invalid_request';

/** Where in the input a fault lies, by zero-based path (`todos[1].status`), and what is allowed. */
export interface InputFault {
  readonly path: string;
  readonly message: string;
}

export interface Refusal {
  readonly code: RefusalCode;
  /** For people: what is wrong and what to do. */
  readonly detail: string;
  /** Faults of the input, for `invalid_todos`, `too_many_in_progress` and `invalid_request`. */
  readonly errors?: readonly InputFault[];
  /** The turn that is open, for `turn_already_open` and `turn_mismatch`. */
  readonly openTurnId?: string;
  /** The session's present revision, for `revision_conflict`; null where there is no session. */
  readonly currentRevision?: bigint | null;
}

/** A command that a decider refused. */
export class CommandRefusedError extends Error {
  override readonly name = 'CommandRefusedError';
  readonly code: RefusalCode;

  constructor(readonly refusal: Refusal) {
    super(refusal.detail);
    this.code = refusal.code;
  }
}
