/** The policy, checked last and only when a write is decided. */
import { countTodos, type Todo } from '../../events/todo.js';
import type { TodoPolicy } from '../policy.js';
import type { InputFault, Refusal } from '../refusals.js';
import { codePointLength } from './todo-content.js';

/** More than an item has beside its content: its braces, names, quotes, status and comma. */
const ITEM_BYTES = 64;

/** What the policy refuses about a list that is otherwise valid; undefined where nothing. */
export function checkPolicy(todos: readonly Todo[], policy: TodoPolicy): Refusal | undefined {
  return checkLimits(todos, policy) ?? checkInProgress(todos, policy);
}

function checkLimits(todos: readonly Todo[], policy: TodoPolicy): Refusal | undefined {
  const errors: InputFault[] = [];
  if (todos.length > policy.maxItems) {
    errors.push({
      path: 'todos',
      message: `must have at most ${policy.maxItems} items (maxItems), has ${todos.length}`,
    });
  }
  const limit = policy.maxContentLength;
  todos.forEach(({ content }, index) => {
    // A string never has more code points than UTF-16 units.
    if (content.length > limit && codePointLength(content) > limit) {
      errors.push({
        path: `todos[${index}].content`,
        message: `must have at most ${limit} Unicode code points (maxContentLength)`,
      });
    }
  });
  if (mostBytes(todos) > policy.maxListBytes) {
    const bytes = Buffer.byteLength(JSON.stringify(todos));
    if (bytes > policy.maxListBytes) {
      errors.push({
        path: 'todos',
        message: `must have at most ${policy.maxListBytes} bytes as JSON (maxListBytes), has ${bytes}`,
      });
    }
  }
  if (errors.length === 0) return undefined;
  return { code: 'invalid_todos', detail: 'The list exceeds a limit of this deployment.', errors };
}

/** No list has more bytes as JSON: most lists are far below the limit and need not be written
 * out to know it. An UTF-16 unit is 6 bytes at most, as an escape. */
function mostBytes(todos: readonly Todo[]): number {
  return todos.reduce((sum, { content }) => sum + ITEM_BYTES + 6 * content.length, 2);
}

function checkInProgress(todos: readonly Todo[], policy: TodoPolicy): Refusal | undefined {
  if (policy.allowParallelInProgress) return undefined;
  if (countTodos(todos).inProgress <= 1) return undefined;
  const active = todos.flatMap(({ status }, index) => (status === 'in_progress' ? [index] : []));
  return {
    code: 'too_many_in_progress',
    detail:
      'At most one item may be in_progress. Keep one and make the others pending or completed.',
    errors: active.slice(1).map((index) => ({
      path: `todos[${index}].status`,
      message: `must be "pending" or "completed": todos[${active[0] ?? 0}] is in_progress already`,
    })),
  };
}
