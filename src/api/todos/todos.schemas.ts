/** Body and query of the checklist's routes. */
import { z } from 'zod';
import { parsePosition } from '../../events/log/position.js';
import { TODO_STATUSES } from '../../events/todo.js';
import { idSchema } from '../request/ids.js';
import { bodySchema } from '../request/parse-input.js';
import { POSITION_RULE, positionSchema } from '../request/scalar.schemas.js';

/** `todos` stays raw: its own rules, and their errors, are the command's. */
export const writeTodosBody = bodySchema({ turnId: idSchema, todos: z.unknown().optional() });

/** The same body as callers are told of it: with the rules that a shape can express. */
export const writeTodosDocumented = writeTodosBody
  .extend({
    todos: z
      .array(
        z
          .strictObject({
            content: z.string().min(1).meta({
              description:
                'Trimmed, then with a visible character; no control character but LF and TAB; unique in the list.',
            }),
            status: z.enum(TODO_STATUSES),
          })
          .meta({ id: 'TodoInput' }),
      )
      .meta({
        description:
          'The whole list, in the order of work. It may be empty. The policy of the server limits items, length and size; the error names the limit.',
      }),
  })
  .meta({ id: 'WriteTodos' });

const MAX_WAIT_MS = 30_000;
const DEFAULT_WAIT_MS = 5_000;
const WAIT_RULE = `a whole number from 0 to ${MAX_WAIT_MS}`;

/** Parameters it does not know are left alone, as HTTP caches and proxies add some. */
export const readTodosQuery = z.object({
  after: positionSchema
    .transform((text, context) => {
      const position = parsePosition(text);
      if (position === undefined) context.addIssue({ code: 'custom', message: POSITION_RULE });
      return position ?? z.NEVER;
    })
    .optional()
    .meta({ description: 'Waits until the read model has reached this position.' }),
  timeoutMs: z
    .string({ error: WAIT_RULE })
    .regex(/^\d{1,5}$/, { error: WAIT_RULE })
    .transform(Number)
    .pipe(z.int().min(0).max(MAX_WAIT_MS, { error: WAIT_RULE }))
    .default(DEFAULT_WAIT_MS)
    .meta({ description: 'How long `after` waits, in milliseconds.' }),
});
