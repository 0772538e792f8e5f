/**
 * The closed set of ways an event log can fail. Adapters throw nothing else from the port's
 * calls, so a caller can switch over `code` and be done.
 */
export type EventLogErrorCode = 'conflict' | 'too_large' | 'unavailable' | 'outcome_unknown';

/** Base of every error of the log. `code` is stable. */
export abstract class EventLogError extends Error {
  abstract readonly code: EventLogErrorCode;
}

/** The stream is not at the expected revision. Nothing was stored. Reload and decide again. */
export class ConflictError extends EventLogError {
  readonly code = 'conflict';
  override readonly name = 'ConflictError';

  /** @param actualRevision revision of the stream's last event, null when the stream is new */
  constructor(
    readonly stream: string,
    readonly actualRevision: bigint | null,
  ) {
    super(
      `stream ${stream} is at revision ${actualRevision?.toString() ?? 'none'}; ` +
        'reload it and decide again',
    );
  }
}

/** The events of one append exceed {@link MAX_APPEND_BYTES}. Refused before anything is sent. */
export class TooLargeError extends EventLogError {
  readonly code = 'too_large';
  override readonly name = 'TooLargeError';

  constructor(
    readonly bytes: number,
    readonly limit: number,
  ) {
    super(`an append of ${bytes} bytes exceeds the limit of ${limit} bytes; write less at once`);
  }
}

/** Why a log cannot serve: `overloaded` passes by itself, `closed` and `failed` do not. */
export type UnavailableReason = 'unreachable' | 'overloaded' | 'closed' | 'failed';

/** The log cannot serve the call. An append that fails with this stored nothing. */
export class UnavailableError extends EventLogError {
  readonly code = 'unavailable';
  override readonly name = 'UnavailableError';

  constructor(
    readonly reason: UnavailableReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * An append whose fate is not known. Read the stream at the expected revision plus one, or
 * send the same events (ids) at the same expected revision again.
 */
export class OutcomeUnknownError extends EventLogError {
  readonly code = 'outcome_unknown';
  override readonly name = 'OutcomeUnknownError';
}

/**
 * What cannot be stored: data or metadata that is not JSON (a bigint, a function, a cycle,
 * undefined), an id that is no UUID, a name that has no UTF-8. A fault of the calling program,
 * raised before the log is touched (faults.md A1), and so not one of {@link EventLogErrorCode}.
 */
export class InvalidEventError extends TypeError {
  readonly code = 'invalid_event';
  override readonly name = 'InvalidEventError';
}
