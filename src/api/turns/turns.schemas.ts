/** Bodies of the turn routes. */
import { z } from 'zod';
import { idSchema } from '../request/ids.js';
import { bodySchema } from '../request/parse-input.js';

export const startTurnBody = bodySchema({
  turnId: idSchema.optional(),
  supersede: z
    .union([z.literal(true), idSchema], { error: 'the id of the open turn, or true' })
    .optional(),
});

export const endTurnBody = bodySchema({
  outcome: z.enum(['completed', 'aborted', 'failed'], {
    error: 'one of completed, aborted, failed',
  }),
});
