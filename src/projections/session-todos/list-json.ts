/**
 * JSON of lists. A list is never changed and goes from row to row, into the view and into the
 * previous list: it is written out once and kept for as long as someone holds the list.
 */
import type { Todo } from '../../events/todo.js';

const texts = new WeakMap<readonly Todo[], string>();

/** The same text as `JSON.stringify` gives. */
export function listJson(todos: readonly Todo[]): string {
  const known = texts.get(todos);
  if (known !== undefined) return known;
  const text = JSON.stringify(todos);
  texts.set(todos, text);
  return text;
}
