/**
 * A route as its caller sees it. One of these for each route of the server, beside none of its
 * code: a test holds the two against each other, and every example against a real server.
 */
import type { z } from 'zod';
import { Problem, type ProblemExtras } from '../problem/problem.js';
import type { ProblemCode } from '../problem/problem-codes.js';
import type { RouteAccess } from '../request/route-access.js';
import type { Parameter } from './parameters.js';
import type { ResponseHeader } from './response-headers.js';

export const TAGS = {
  Turns: 'A turn is one run of the agent. The standing list clears when the next one starts.',
  Todos: 'The checklist: written whole, read as its view, followed live.',
  Sessions: 'What happens to a session as a whole.',
  Fleet: 'All sessions of a tenant in short: listed, counted, followed live.',
  Tool: 'The tool `todo_write` for models, on raw arguments.',
  Projections: 'For whoever runs the deployment, all tenants of it: the scope `admin`.',
  Service: 'For whoever runs the server. Needs no token and shows no data.',
} as const;

export interface Operation {
  readonly id: string;
  /** What the route declares. A test holds the two against each other. */
  readonly access: RouteAccess;
  readonly method: 'get' | 'put' | 'post' | 'delete';
  /** With parameters in braces. */
  readonly path: string;
  readonly tag: keyof typeof TAGS;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  /** Undefined where a body is not read. */
  readonly body?: { readonly schema: z.ZodType; readonly required: boolean };
  readonly answers: readonly Answer[];
  /** Codes of the errors that are this route's own, or its kind's. */
  readonly problems: readonly ProblemCode[];
  /** Headers that its errors have beside those of every error. */
  readonly problemHeaders?: readonly ResponseHeader[];
  readonly examples: readonly Example[];
}

/** A response that is no error. */
export interface Answer {
  readonly status: number;
  readonly description: string;
  readonly headers: readonly ResponseHeader[];
  readonly content?: Content;
}

export interface Content {
  readonly mediaType: string;
  readonly schema: z.ZodType;
  /** Of an event stream: the data of each kind of event. */
  readonly events?: Readonly<Record<string, z.ZodType>>;
}

/** A request that can be sent as it stands, once those before it were. */
export interface Example {
  /** Unique in the document. */
  readonly name: string;
  readonly summary: string;
  /** Examples to send first, in this order, each after those that it names itself. */
  readonly given?: readonly string[];
  /** What has to be so that no request can bring about; the test that sends examples does. */
  readonly setting?: ExampleSetting;
  readonly request?: ExampleRequest;
  readonly response: ExampleResponse;
}

/** `parked-session`: the second event of `session-1` cannot be read. */
export type ExampleSetting = 'parked-session';

export interface ExampleRequest {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface ExampleResponse {
  readonly status: number;
  readonly body?: unknown;
}

/** An error as it is answered. */
export function problemAnswer(
  code: ProblemCode,
  detail: string,
  extras?: ProblemExtras,
): ExampleResponse {
  const problem = new Problem(code, detail, extras);
  const body: unknown = JSON.parse(problem.toJson());
  return { status: problem.status, body };
}
