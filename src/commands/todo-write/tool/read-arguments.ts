/**
 * Reads what models really send as the tool's arguments: JSON text in place of an object or of
 * the list, and fields of other tools' items. It is tolerant only where nothing has to be
 * guessed, and says what it dropped; everything else is left for the strict rules to name.
 */
import type { InputFault } from '../../refusals.js';

/** Fields that other tools give their items. They are dropped, and the answer says so. */
const SURPLUS_FIELDS: ReadonlySet<string> = new Set(['id', 'priority', 'activeForm']);

/** How a call looks that is right. Shown where the shape is not recognised. */
export const CALL_EXAMPLE = '{"todos":[{"content":"Run the tests","status":"pending"}]}';

export type ReadArguments =
  | {
      readonly ok: true;
      /** Raw still: to be parsed by the rules of a list. */
      readonly todos: unknown;
      /** Names of the surplus fields, each once, in the order they came. */
      readonly dropped: readonly string[];
    }
  | { readonly ok: false; readonly errors: readonly InputFault[] };

/** @param raw `arguments` as the model sent it: anything, also nothing */
export function readArguments(raw: unknown): ReadArguments {
  const read = typeof raw === 'string' ? parseText(raw, 'arguments') : { value: raw };
  if ('fault' in read) return { ok: false, errors: [read.fault] };
  const { value } = read;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refused('arguments', `must be an object: ${CALL_EXAMPLE}`);
  }
  const fields = Object.entries(value);
  const unknown = fields.filter(([field]) => field !== 'todos');
  if (unknown.length > 0) {
    const message = 'is not a known field: the only one is todos';
    return { ok: false, errors: unknown.slice(0, 100).map(([path]) => ({ path, message })) };
  }
  const list = fields[0]?.[1] as unknown;
  if (fields.length === 0) return refused('todos', `is missing: send ${CALL_EXAMPLE}`);
  return readList(list);
}

function readList(raw: unknown): ReadArguments {
  const read = typeof raw === 'string' ? parseText(raw, 'todos') : { value: raw };
  if ('fault' in read) return { ok: false, errors: [read.fault] };
  if (!Array.isArray(read.value)) {
    return refused('todos', `must be an array of items: send ${CALL_EXAMPLE}`);
  }
  const dropped = new Set<string>();
  const todos = read.value.map((item: unknown) => withoutSurplus(item, dropped));
  return { ok: true, todos, dropped: [...dropped] };
}

function withoutSurplus(item: unknown, dropped: Set<string>): unknown {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
  const entries = Object.entries(item);
  const kept = entries.filter(([field]) => !SURPLUS_FIELDS.has(field));
  if (kept.length === entries.length) return item;
  for (const [field] of entries) if (SURPLUS_FIELDS.has(field)) dropped.add(field);
  return Object.fromEntries(kept);
}

function parseText(text: string, path: string): { value: unknown } | { fault: InputFault } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { fault: { path, message: `is text that is not valid JSON: send ${CALL_EXAMPLE}` } };
  }
}

function refused(path: string, message: string): ReadArguments {
  return { ok: false, errors: [{ path, message }] };
}
