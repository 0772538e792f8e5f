/**
 * Every error code of the HTTP API with its status: the one table (design, section 4). A code
 * that is not here cannot be answered.
 */
import type { FailureCode, RefusalCode } from '../../commands/refusals.js';

/** How a code is answered. */
export interface ProblemKind {
  readonly status: number;
  /** A short summary that never changes; `detail` speaks of the case. */
  readonly title: string;
  /** Seconds to wait before trying again: on every 503. */
  readonly retryAfter?: number;
}

/** A moment, for what passes by itself. */
const SOON = 1;
/** For what a person has to mend. */
const LATER = 30;

const kinds = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  unauthenticated: { status: 401, title: 'Authentication is needed' },
  forbidden: { status: 403, title: 'Not allowed' },
  actor_not_allowed: { status: 403, title: 'This kind of actor may not do this' },
  not_found: { status: 404, title: 'No such resource' },
  session_not_found: { status: 404, title: 'No such session' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  turn_already_open: { status: 409, title: 'A turn is already open' },
  turn_not_open: { status: 409, title: 'The turn is not open' },
  turn_mismatch: { status: 409, title: 'Another turn is open' },
  turn_id_reused: { status: 409, title: 'The turn id was used before' },
  session_exists: { status: 409, title: 'The session exists already' },
  idempotency_conflict: { status: 409, title: 'The key was used with other content' },
  generation_not_ready: { status: 409, title: 'The generation is not ready' },
  generation_serving: { status: 409, title: 'The generation is served' },
  session_deleted: { status: 410, title: 'The session was deleted' },
  revision_conflict: { status: 412, title: 'The session is at another revision' },
  body_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The media type is not supported' },
  expectation_failed: { status: 417, title: 'The expectation cannot be met' },
  invalid_todos: { status: 422, title: 'The list is not valid' },
  too_many_in_progress: { status: 422, title: 'Too many items are in progress' },
  rate_limited: { status: 429, title: 'Too many requests', retryAfter: SOON },
  headers_too_large: { status: 431, title: 'The header fields are too large' },
  internal_error: { status: 500, title: 'The server failed' },
  store_unavailable: { status: 503, title: 'The store is not available', retryAfter: SOON },
  outcome_unknown: { status: 503, title: 'The outcome is not known', retryAfter: SOON },
  contended: { status: 503, title: 'Too many writers at once', retryAfter: SOON },
  overloaded: { status: 503, title: 'The server is overloaded', retryAfter: SOON },
  auth_unavailable: { status: 503, title: 'Tokens cannot be checked', retryAfter: SOON },
  not_ready: { status: 503, title: 'The server is not ready', retryAfter: SOON },
  session_parked: { status: 503, title: 'The session is parked', retryAfter: LATER },
  session_unreadable: { status: 503, title: 'The session cannot be read', retryAfter: LATER },
  projection_behind: { status: 504, title: 'The read model is behind' },
} as const satisfies Record<string, ProblemKind>;

/** A stable error code. */
export type ProblemCode = keyof typeof kinds;

// Every refusal and failure of a command has its row: a new one does not compile without.
export const PROBLEM_KINDS: Readonly<Record<ProblemCode | RefusalCode | FailureCode, ProblemKind>> =
  kinds;
