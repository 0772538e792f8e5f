/** The checklist's own vocabulary. */

export const TODO_STATUSES = ['pending', 'in_progress', 'completed'] as const;
export type TodoStatus = (typeof TODO_STATUSES)[number];

/** One item. Its place in the list is its rank; it has no id. */
export interface Todo {
  readonly content: string;
  readonly status: TodoStatus;
}

/** How many items stand where. */
export interface TodoCounts {
  readonly pending: number;
  readonly inProgress: number;
  readonly completed: number;
  readonly total: number;
}

export function countTodos(todos: readonly Todo[]): TodoCounts {
  let pending = 0;
  let inProgress = 0;
  for (const { status } of todos) {
    if (status === 'pending') pending += 1;
    else if (status === 'in_progress') inProgress += 1;
  }
  return {
    pending,
    inProgress,
    completed: todos.length - pending - inProgress,
    total: todos.length,
  };
}
