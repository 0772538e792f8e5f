/**
 * Parses a raw list into one that may be stored: the durable invariants of every
 * `todo/write`. Every fault is named by its zero-based path and says what is allowed.
 */
import { TODO_STATUSES, type Todo, type TodoStatus } from '../../events/todo.js';
import type { InputFault } from '../refusals.js';
import { contentKey, isPlain, normaliseContent } from './todo-content.js';

/** More than a caller can act on at once; the rest is counted. */
const MAX_FAULTS = 100;
const LEGAL_STATUSES = `must be one of ${TODO_STATUSES.map((s) => `"${s}"`).join(', ')}`;
const ITEM_SHAPE = 'must be an object { "content": string, "status": string }';

export type ParsedTodos =
  | { readonly ok: true; readonly todos: readonly Todo[] }
  | { readonly ok: false; readonly errors: readonly InputFault[] };

/**
 * @param raw what came in under `todos`
 * @param path the name faults are reported under
 */
export function parseTodos(raw: unknown, path = 'todos'): ParsedTodos {
  if (!Array.isArray(raw)) {
    const message = `must be an array of items, each ${ITEM_SHAPE.replace('must be ', '')}`;
    return { ok: false, errors: [{ path, message }] };
  }
  const items: readonly unknown[] = raw;
  // Nearly every list is right: paths and messages are made only where one is not.
  const todos = parseFaultless(items);
  return todos === undefined ? findFaults(items, path) : { ok: true, todos };
}

/** Undefined where there is any fault. */
function parseFaultless(items: readonly unknown[]): readonly Todo[] | undefined {
  const todos: Todo[] = [];
  const seen = new Set<string>();
  for (const item of items) {
    if (!isObject(item) || Object.keys(item).length !== 2) return undefined;
    const { content: text, status } = item;
    if (typeof text !== 'string' || !isStatus(status)) return undefined;
    if (isPlain(text)) {
      seen.add(text);
      todos.push({ content: text, status });
      continue;
    }
    const result = normaliseContent(text);
    if (!result.ok) return undefined;
    seen.add(contentKey(result.content));
    todos.push({ content: result.content, status });
  }
  return seen.size === todos.length ? todos : undefined;
}

function findFaults(items: readonly unknown[], path: string): ParsedTodos {
  const faults = new Faults();
  const seen = new Map<string, number>();
  items.forEach((item, index) => {
    const content = checkItem(item, `${path}[${index}]`, faults);
    if (content === undefined) return;
    const key = contentKey(content);
    const first = seen.get(key);
    if (first === undefined) seen.set(key, index);
    else faults.add(`${path}[${index}].content`, `must be unique: it repeats ${path}[${first}]`);
  });
  return { ok: false, errors: faults.list(path) };
}

/** The item's content where that is right, whatever else is wrong. */
function checkItem(item: unknown, path: string, faults: Faults): string | undefined {
  if (!isObject(item)) {
    faults.add(path, ITEM_SHAPE);
    return undefined;
  }
  for (const field of Object.keys(item)) {
    if (field !== 'content' && field !== 'status') {
      faults.add(`${path}.${field}`, 'is not a known field: an item has content and status');
    }
  }
  // Own fields only: a prototype has no say.
  const own = new Map(Object.entries(item));
  const content = checkContent(own.get('content'), `${path}.content`, faults);
  const status = own.get('status');
  if (!isStatus(status)) {
    const missing = status === undefined ? 'is missing: ' : '';
    faults.add(`${path}.status`, missing + LEGAL_STATUSES);
  }
  return content;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function checkContent(raw: unknown, path: string, faults: Faults): string | undefined {
  if (typeof raw !== 'string') {
    faults.add(path, raw === undefined ? 'is missing: must be a string' : 'must be a string');
    return undefined;
  }
  const result = normaliseContent(raw);
  if (result.ok) return result.content;
  faults.add(path, result.message);
  return undefined;
}

function isStatus(value: unknown): value is TodoStatus {
  return value === 'pending' || value === 'in_progress' || value === 'completed';
}

/** Collects faults up to a bound: a hostile list must not make a huge answer. */
class Faults {
  readonly #faults: InputFault[] = [];
  #count = 0;

  add(path: string, message: string): void {
    this.#count += 1;
    if (this.#faults.length < MAX_FAULTS) this.#faults.push({ path, message });
  }

  list(path: string): readonly InputFault[] {
    const rest = this.#count - this.#faults.length;
    if (rest === 0) return this.#faults;
    return [...this.#faults, { path, message: `has ${rest} more faults` }];
  }
}
