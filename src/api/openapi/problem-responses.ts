/** The errors of a route, by status: which codes there are, and how they look. */
import { problemSchema } from '../problem/problem.schemas.js';
import { PROBLEM_KINDS, type ProblemCode } from '../problem/problem-codes.js';
import { examplesOf } from './examples-of.js';
import { toJson, type Json } from './json.js';
import { problemAnswer, type Operation } from './operation.js';
import {
  NO_STORE,
  RETRY_AFTER,
  WWW_AUTHENTICATE,
  type ResponseHeader,
} from './response-headers.js';
import type { SchemaComponents } from './schema-components.js';

export const PROBLEM_TYPE = 'application/problem+json';

/** What every route may answer, whatever it is. */
export const EVERYWHERE: readonly ProblemCode[] = [
  'invalid_request',
  'forbidden',
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
  'internal_error',
  'store_unavailable',
];

/** What a route that needs a token may answer besides, where auth is configured. */
const WITH_TOKEN: readonly ProblemCode[] = ['unauthenticated', 'auth_unavailable'];

/** What a route that reads a body may answer. */
export const WITH_BODY: readonly ProblemCode[] = ['body_too_large', 'unsupported_media_type'];

/** What every session command may answer besides. */
export const OF_COMMANDS: readonly ProblemCode[] = [
  ...WITH_BODY,
  'idempotency_conflict',
  'revision_conflict',
  'outcome_unknown',
  'contended',
  'overloaded',
];

/** Errors from before there is a route: they have no header of the API but Content-Type. */
const OF_CONNECTIONS: ReadonlySet<ProblemCode> = new Set(['request_timeout', 'headers_too_large']);

/** Responses of the document, by status. */
export function problemResponses(
  operation: Operation,
  components: SchemaComponents,
  toHeaders: (headers: readonly ResponseHeader[]) => Json,
): Record<string, Json> {
  const withToken = operation.access === 'open' ? [] : WITH_TOKEN;
  const codes = new Set([...EVERYWHERE, ...withToken, ...operation.problems]);
  const responses: Record<string, Json> = {};
  for (const status of new Set([...codes].map((code) => PROBLEM_KINDS[code].status))) {
    const there = [...codes].filter((code) => PROBLEM_KINDS[code].status === status);
    responses[status] = {
      description: there.map((code) => `\`${code}\`: ${PROBLEM_KINDS[code].title}.`).join(' '),
      headers: toHeaders(headersOf(there, operation)),
      content: {
        [PROBLEM_TYPE]: {
          schema: {
            allOf: [components.convert(problemSchema, 'answer')],
            properties: { code: { enum: there }, status: { const: status } },
          },
          examples: {
            ...examplesOf(operation.examples, status).examples,
            ...othersOf(there, operation),
          },
        },
      },
    };
  }
  return responses;
}

function headersOf(codes: readonly ProblemCode[], operation: Operation): ResponseHeader[] {
  const [first] = codes;
  return [
    NO_STORE,
    ...(codes.some((code) => OF_CONNECTIONS.has(code)) ? [] : (operation.problemHeaders ?? [])),
    ...(first !== undefined && PROBLEM_KINDS[first].retryAfter !== undefined ? [RETRY_AFTER] : []),
    ...(codes.includes('unauthenticated') ? [WWW_AUTHENTICATE] : []),
  ];
}

/** An example by its code of each error that no example of the operation causes. */
function othersOf(codes: readonly ProblemCode[], operation: Operation): Record<string, Json> {
  const caused = new Set(operation.examples.map(({ response }) => codeOf(response.body)));
  const others = codes.filter((code) => !caused.has(code));
  return Object.fromEntries(
    others.map((code): [string, Json] => {
      const { title } = PROBLEM_KINDS[code];
      return [code, toJson({ summary: title, value: problemAnswer(code, `${title}.`).body })];
    }),
  );
}

function codeOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined;
}
