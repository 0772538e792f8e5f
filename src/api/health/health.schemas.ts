/** What the health routes answer when all is well. */
import { z } from 'zod';

export const liveSchema = z.strictObject({ status: z.literal('live') }).meta({ id: 'Live' });

export const readySchema = z
  .strictObject({
    status: z.literal('ready'),
    checks: z.array(z.strictObject({ name: z.string(), state: z.string() })),
  })
  .meta({ id: 'Ready' });
