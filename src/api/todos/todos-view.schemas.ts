/** The view as it is answered and sent (design, section 4). Tests hold real answers against it. */
import { z } from 'zod';
import { TURN_OUTCOMES } from '../../events/session-events.js';
import { TODO_STATUSES, type Todo, type TodoCounts } from '../../events/todo.js';
import type { SessionTodosView } from '../../projections/session-todos/session-todos.view.js';
import { instantSchema, revisionSchema } from '../request/scalar.schemas.js';

const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

export const todoSchema = z
  .strictObject({
    content: z.string().min(1),
    status: z.enum(TODO_STATUSES),
  })
  .meta({
    id: 'Todo',
    description: 'An item of the list. Its place is its rank; it has no id.',
  }) satisfies z.ZodType<Todo>;

export const countsSchema = z
  .strictObject({ pending: count, inProgress: count, completed: count, total: count })
  .meta({ id: 'TodoCounts' }) satisfies z.ZodType<TodoCounts>;

const outcome = z.enum(TURN_OUTCOMES).nullable();

export const turnSchema = z
  .strictObject({
    id: z.string(),
    state: z.enum(['open', 'ended']),
    outcome: outcome.meta({ description: 'Null while the turn is open.' }),
  })
  .meta({ id: 'Turn' });

const previousListSchema = z
  .strictObject({
    todos: z.array(todoSchema),
    turnId: z.string(),
    outcome: outcome.meta({ description: 'How that turn ended; null where the log does not say.' }),
    revision: revisionSchema.meta({ description: 'Of the write of that list.' }),
  })
  .meta({ id: 'PreviousList', description: 'The last list, not empty, that a turn has cleared.' });

export const sessionTodosSchema = z
  .strictObject({
    sessionId: z.string(),
    state: z.enum(['never-written', 'current', 'cleared']).meta({
      description:
        'Why the list is what it is: an empty one was never written, was written empty (`current`), or was cleared by the next turn.',
    }),
    todos: z.array(todoSchema),
    counts: countsSchema,
    revision: revisionSchema,
    turn: turnSchema.nullable().meta({ description: 'The latest turn. Null before the first.' }),
    activity: z.enum(['idle', 'running', 'finished', 'failed', 'interrupted']).meta({
      description:
        'Speaks of the list, first match: no items: `idle`; turn open: `running`; every item completed: `finished`; the turn failed: `failed`; else `interrupted`.',
    }),
    previous: previousListSchema.nullable(),
    problems: count.meta({ description: 'Lists that could not be read and were skipped.' }),
    parked: z
      .boolean()
      .meta({ description: 'An event could not be folded: the view stands still until mended.' }),
    epoch: count.meta({ description: 'Rises when the view was rebuilt or mended.' }),
    updatedAt: instantSchema,
  })
  .meta({
    id: 'SessionTodos',
    description: "A session's checklist, and how far its work is.",
  }) satisfies z.ZodType<SessionTodosView>;

/** Data of the last SSE frame of a session that was deleted. */
export const deletedSessionSchema = z
  .strictObject({ sessionId: z.string() })
  .meta({ id: 'DeletedSession' });
