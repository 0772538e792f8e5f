/** A page of the history as it is answered. */
import { z } from 'zod';
import { TODO_STATUSES } from '../../events/todo.js';
import type { HistoryItem, HistoryPage } from '../../projections/todo-history/history-page.js';
import type { TodoChange } from '../../projections/todo-history/todo-change.js';
import { instantSchema, revisionSchema } from '../request/scalar.schemas.js';
import { todoSchema } from '../todos/todos-view.schemas.js';

const status = z.enum(TODO_STATUSES);

const changeSchema = z
  .strictObject({
    added: z.array(z.string()),
    dropped: z.array(z.string()),
    renamed: z.array(z.strictObject({ from: z.string(), to: z.string() })).meta({
      description: 'Contents that are equal but for Unicode form and case.',
    }),
    status: z.array(z.strictObject({ content: z.string(), from: status, to: status })),
  })
  .meta({
    id: 'TodoChange',
    description:
      'Against the list before it in the same turn; the first of a turn against the empty list.',
  }) satisfies z.ZodType<TodoChange>;

const itemSchema = z
  .strictObject({
    revision: revisionSchema,
    turnId: z.string(),
    at: instantSchema,
    actor: z
      .strictObject({ kind: z.string(), subject: z.string() })
      .nullable()
      .meta({ description: 'Who wrote it. Null where the event does not say.' }),
    todos: z.array(todoSchema),
    change: changeSchema,
  })
  .meta({ id: 'HistoryItem' }) satisfies z.ZodType<HistoryItem>;

export const historyPageSchema = z
  .strictObject({
    items: z.array(itemSchema).meta({ description: 'Newest first.' }),
    before: revisionSchema
      .nullable()
      .meta({ description: 'Where the next page goes on. Null at the end.' }),
  })
  .meta({ id: 'HistoryPage' }) satisfies z.ZodType<HistoryPage>;
