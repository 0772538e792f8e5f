/** The examples of an operation, where OpenAPI wants them: at media types and parameters. */
import { toJson, type Json } from './json.js';
import type { Example } from './operation.js';
import type { Parameter } from './parameters.js';

interface Examples {
  readonly examples?: Record<string, Json>;
}

/** Bodies that were answered with this status. */
export function examplesOf(examples: readonly Example[], status: number): Examples {
  return named(
    examples.map((example) => ({
      ...example,
      value: example.response.status === status ? example.response.body : undefined,
    })),
  );
}

/** Bodies that are sent, also those that are refused. */
export function bodyExamples(examples: readonly Example[]): Examples {
  return named(examples.map((example) => ({ ...example, value: example.request?.body })));
}

/**
 * Values of a parameter, where it is required: a page that sends requests takes the first one
 * over, and one example's fence or key is wrong for another request.
 */
export function parameterExamples(parameter: Parameter, examples: readonly Example[]): Examples {
  if (!parameter.required) return {};
  const seen = new Set<unknown>();
  return named(
    examples.map((example) => {
      const value = example.request?.path?.[parameter.name];
      // Of refused requests it may be what the schema forbids.
      const skip = example.response.status >= 400 || seen.has(value);
      seen.add(value);
      return { ...example, value: skip ? undefined : value };
    }),
  );
}

function named(examples: readonly (Example & { readonly value: unknown })[]): Examples {
  const there = examples.filter(({ value }) => value !== undefined);
  if (there.length === 0) return {};
  return {
    examples: Object.fromEntries(
      there.map(({ name, summary, value }) => [name, toJson({ summary, value })]),
    ),
  };
}
