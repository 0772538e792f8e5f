/** What to answer for an error of any origin: a command, the log, Nest, or Fastify itself. */
import { HttpException } from '@nestjs/common';
import { CommandFailedError, CommandRefusedError } from '../../commands/refusals.js';
import { EventLogError } from '../../events/log/errors.js';
import {
  GenerationError,
  ProjectionNotReadyError,
} from '../../projections/runtime/generations/generation-errors.js';
import { ProjectionNotStartedError } from '../../projections/runtime/projection-status.js';
import { ProjectionNotFoundError } from '../../projections/runtime/managed-projection.js';
import { RereadEndedError } from '../../projections/runtime/parking/key-reread.js';
import { NotParkedError } from '../../projections/runtime/parking/parked-keys.js';
import { ProjectionRefusedError } from '../../projections/runtime/refusal.js';
import { Problem } from './problem.js';
import type { ProblemCode } from './problem-codes.js';

/** Fastify's own errors, by their code, and what to tell the caller. */
const FASTIFY_ERRORS: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'the body is larger than this server accepts'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'send the body as application/json, in UTF-8',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'invalid_request',
    'the body is not as long as Content-Length says',
  ],
  FST_ERR_BAD_URL: ['invalid_request', 'the path is not valid percent-encoding of UTF-8'],
  FST_ERR_MAX_PARAM_LENGTH: ['invalid_request', 'a part of the path is too long'],
};

/** Codes for statuses that reach us without a code of ours. */
const STATUS_CODES: Readonly<Record<number, ProblemCode>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  408: 'request_timeout',
  413: 'body_too_large',
  415: 'unsupported_media_type',
  429: 'rate_limited',
  431: 'headers_too_large',
};

/** The problem that stands for `error`; `internal_error`, which tells nothing, for a bug. */
export function problemOfError(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof CommandRefusedError) {
    const { code, detail, errors, openTurnId, currentRevision } = error.refusal;
    return new Problem(code, detail, { errors, openTurnId, currentRevision }, { cause: error });
  }
  if (error instanceof CommandFailedError) {
    return new Problem(error.code, error.message, {}, { cause: error });
  }
  if (error instanceof EventLogError) {
    const detail = 'the event log cannot be reached; nothing was stored, try again';
    return new Problem('store_unavailable', detail, {}, { cause: error });
  }
  if (error instanceof ProjectionRefusedError) {
    // Why is for operators: it may name sessions of others.
    const detail =
      'the read model is damaged or does not belong to this event log, and is not served; an ' +
      'operator has to restore or rebuild it, and /health/ready says why. Writes go on';
    return new Problem('store_unavailable', detail, {}, { cause: error });
  }
  if (error instanceof ProjectionNotReadyError) {
    return new Problem('not_ready', error.message, {}, { cause: error });
  }
  if (error instanceof ProjectionNotFoundError || error instanceof NotParkedError) {
    return new Problem('not_found', error.message, {}, { cause: error });
  }
  if (error instanceof ProjectionNotStartedError || error instanceof RereadEndedError) {
    return new Problem('store_unavailable', error.message, {}, { cause: error });
  }
  if (error instanceof GenerationError) {
    const code = error.code === 'generation_not_found' ? 'not_found' : error.code;
    return new Problem(code, error.message, {}, { cause: error });
  }
  return fastifyProblem(error) ?? httpProblem(error) ?? unknownProblem(error);
}

/** Nest hands a Fastify error on as an HttpException whose cause it is. */
function fastifyProblem(error: unknown): Problem | undefined {
  const origin = error instanceof HttpException ? error.cause : error;
  if (!(origin instanceof Error) || !('code' in origin) || typeof origin.code !== 'string') {
    return undefined;
  }
  const known = Object.hasOwn(FASTIFY_ERRORS, origin.code)
    ? FASTIFY_ERRORS[origin.code]
    : undefined;
  return known && new Problem(known[0], known[1], {}, { cause: origin });
}

function httpProblem(error: unknown): Problem | undefined {
  const status = statusOf(error);
  if (status === undefined || status < 400 || status > 499) return undefined;
  const detail = error instanceof Error ? error.message : 'the request cannot be served';
  return new Problem(STATUS_CODES[status] ?? 'invalid_request', detail, {}, { cause: error });
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  return error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
    ? error.statusCode
    : undefined;
}

function unknownProblem(cause: unknown): Problem {
  return new Problem('internal_error', 'an unexpected error; see the server log', {}, { cause });
}
