/**
 * Parses a raw list into one that may be stored: the durable invariants of every
 * `todo/write`. Every fault is named by its zero-based path and says what is allowed.
 */
import { TODO_STATUSES, type Todo, type TodoStatus } from '../../events/todo.js';
import type { InputFault } from '../refusals.js';
import { contentKey, normaliseContent } from './todo-content.js';

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
  const faults = new Faults();
  const todos: Todo[] = [];
  const seen = new Map<string, number>();
  raw.forEach((item: unknown, index) => {
    const todo = parseItem(item, `${path}[${index}]`, faults);
    if (todo === undefined) return;
    const key = contentKey(todo.content);
    const first = seen.get(key);
    if (first === undefined) seen.set(key, index);
    else faults.add(`${path}[${index}].content`, `must be unique: it repeats ${path}[${first}]`);
    todos.push(todo);
  });
  return faults.found ? { ok: false, errors: faults.list(path) } : { ok: true, todos };
}

function parseItem(item: unknown, path: string, faults: Faults): Todo | undefined {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    faults.add(path, ITEM_SHAPE);
    return undefined;
  }
  let rawContent: unknown;
  let rawStatus: unknown;
  for (const [field, value] of Object.entries(item)) {
    if (field === 'content') rawContent = value;
    else if (field === 'status') rawStatus = value;
    else faults.add(`${path}.${field}`, 'is not a known field: an item has content and status');
  }
  const content = parseContent(rawContent, `${path}.content`, faults);
  const status = isStatus(rawStatus) ? rawStatus : undefined;
  if (status === undefined) {
    faults.add(
      `${path}.status`,
      rawStatus === undefined ? `is missing: ${LEGAL_STATUSES}` : LEGAL_STATUSES,
    );
  }
  return content === undefined || status === undefined ? undefined : { content, status };
}

function parseContent(raw: unknown, path: string, faults: Faults): string | undefined {
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

  get found(): boolean {
    return this.#count > 0;
  }

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
