/** Advice about a list that was accepted. It never refuses anything. */
import type { TodoCounts } from '../../events/todo.js';

export function hintsFor({ pending, inProgress }: TodoCounts): readonly string[] {
  if (inProgress > 0 || pending === 0) return [];
  return [
    pending === 1
      ? '1 task remains and none is in progress.'
      : `${pending} tasks remain and none is in progress.`,
  ];
}
