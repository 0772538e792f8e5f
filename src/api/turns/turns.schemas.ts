/** Bodies of the turn routes. */
import { z } from 'zod';
import { idSchema } from '../request/ids.js';
import { bodySchema } from '../request/parse-input.js';

export const startTurnBody = bodySchema({
  turnId: idSchema
    .optional()
    .meta({ description: 'Derived from the Idempotency-Key where it is absent.' }),
  supersede: z
    .union([z.literal(true), idSchema], { error: 'the id of the open turn, or true' })
    .optional()
    .meta({
      description:
        'The open turn to close, or `true` for whichever is open, which is not safe to retry blindly.',
    }),
}).meta({ id: 'StartTurn' });

export const endTurnBody = bodySchema({
  outcome: z.enum(['completed', 'aborted', 'failed'], {
    error: 'one of completed, aborted, failed',
  }),
}).meta({ id: 'EndTurn' });
