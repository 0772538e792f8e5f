/** What an accepted command answers. */
import { z } from 'zod';
import { countsSchema } from '../todos/todos-view.schemas.js';
import { positionSchema, revisionSchema } from './scalar.schemas.js';

export const receiptSchema = z
  .strictObject({
    sessionId: z.string(),
    turnId: z
      .string()
      .nullable()
      .meta({ description: 'The turn the command was about. Null after a fork.' }),
    revision: revisionSchema.meta({ description: "Of the command's last event. For If-Match." }),
    position: positionSchema.meta({ description: 'Where to wait for it: `after`.' }),
    counts: countsSchema.optional().meta({ description: 'Of the list that was written.' }),
    hints: z
      .array(z.string())
      .optional()
      .meta({ description: 'Advice on the list, never a refusal.' }),
  })
  .meta({ id: 'Receipt', description: 'The command was carried out, now or before.' });
