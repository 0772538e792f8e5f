/** Body and query of the checklist's routes. */
import { z } from 'zod';
import { parsePosition } from '../../events/log/position.js';
import { idSchema } from '../request/ids.js';
import { bodySchema } from '../request/parse-input.js';

/** `todos` stays raw: its own rules, and their errors, are the command's. */
export const writeTodosBody = bodySchema({ turnId: idSchema, todos: z.unknown().optional() });

const MAX_WAIT_MS = 30_000;
const DEFAULT_WAIT_MS = 5_000;
const WAIT_RULE = `a whole number from 0 to ${MAX_WAIT_MS}`;
const POSITION_RULE = 'a position as a receipt gives it';

/** Parameters it does not know are left alone, as HTTP caches and proxies add some. */
export const readTodosQuery = z.object({
  after: z
    .string({ error: POSITION_RULE })
    .transform((text, context) => {
      const position = parsePosition(text);
      if (position === undefined) context.addIssue({ code: 'custom', message: POSITION_RULE });
      return position ?? z.NEVER;
    })
    .optional(),
  timeoutMs: z
    .string({ error: WAIT_RULE })
    .regex(/^\d{1,5}$/, { error: WAIT_RULE })
    .transform(Number)
    .pipe(z.int().max(MAX_WAIT_MS, { error: WAIT_RULE }))
    .default(DEFAULT_WAIT_MS),
});
