/** An error of the HTTP API, and its body as `application/problem+json` (RFC 9457). */
import type { InputFault } from '../../commands/refusals.js';
import { PROBLEM_KINDS, type ProblemCode } from './problem-codes.js';

export const PROBLEM_MEDIA_TYPE = 'application/problem+json; charset=utf-8';

/** What a problem says beyond its code and detail. */
export interface ProblemExtras {
  /** Faults of the input. */
  readonly errors?: readonly InputFault[] | undefined;
  readonly openTurnId?: string | undefined;
  /** Null where there is no session. */
  readonly currentRevision?: bigint | null | undefined;
}

/** Thrown by whatever serves a request; the filter answers it. */
export class Problem extends Error {
  override readonly name = 'Problem';

  /** @param detail for people: what is wrong and what to do */
  constructor(
    readonly code: ProblemCode,
    detail: string,
    readonly extras: ProblemExtras = {},
    options?: ErrorOptions,
  ) {
    super(detail, options);
  }

  get status(): number {
    return PROBLEM_KINDS[this.code].status;
  }

  /** Value of the header Retry-After, where the code has one. */
  get retryAfter(): string | undefined {
    return PROBLEM_KINDS[this.code].retryAfter?.toString();
  }

  /** The body. */
  toJson(): string {
    const { errors, openTurnId, currentRevision } = this.extras;
    return JSON.stringify({
      type: `urn:planlog:problem:${this.code}`,
      title: PROBLEM_KINDS[this.code].title,
      status: this.status,
      code: this.code,
      detail: this.message,
      errors,
      openTurnId,
      // A bigint in JSON throws (faults.md C 59): revisions are strings.
      currentRevision: currentRevision == null ? currentRevision : currentRevision.toString(),
    });
  }
}

/** A 400 that names where the fault lies. */
export function invalidRequest(path: string, message: string): Problem {
  return invalidInput([{ path, message }]);
}

/** A 400 of several faults. */
export function invalidInput(errors: readonly InputFault[]): Problem {
  const detail = errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return new Problem('invalid_request', detail, { errors });
}
