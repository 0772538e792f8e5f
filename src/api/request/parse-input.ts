/** Parses a body or a query with its zod schema; what does not fit is a 400 that says where. */
import { z } from 'zod';
import type { InputFault } from '../../commands/refusals.js';
import { invalidInput, invalidRequest } from '../problem/problem.js';

/** The schema of a body: an object of exactly these fields. */
export function bodySchema<Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.strictObject(shape, {
    // Unknown fields get a message of their own.
    error: (issue) => (issue.code === 'invalid_type' ? 'a JSON object is needed' : undefined),
  });
}

/** @throws {Problem} there is no body, or it is not of its shape */
export function parseBody<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  if (body === undefined) throw invalidRequest('body', 'a JSON object is needed');
  return parseInput(schema, body, 'body');
}

/** @throws {Problem} a parameter is not of its form */
export function parseQuery<S extends z.ZodType>(schema: S, query: unknown): z.output<S> {
  return parseInput(schema, query, 'query');
}

function parseInput<S extends z.ZodType>(schema: S, input: unknown, whole: string): z.output<S> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw invalidInput(result.error.issues.flatMap((issue) => faultsOf(issue, whole)));
}

function faultsOf(issue: z.core.$ZodIssue, whole: string): InputFault[] {
  const at = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: [...at, key].join('.'),
      message: 'is not a known field',
    }));
  }
  return [{ path: at.join('.') || whole, message: issue.message }];
}
