/** Projections as their operators see them. */
import { z } from 'zod';
import { instantSchema, positionSchema, revisionSchema } from '../request/scalar.schemas.js';

export const GENERATION_STATES = [
  'building',
  'ready',
  'serving',
  'kept',
  'cancelled',
  'failed',
] as const;

export const generationSchema = z
  .strictObject({
    generation: z.int().positive(),
    version: z.int().positive().meta({ description: 'Of the fold that makes its rows.' }),
    state: z.enum(GENERATION_STATES),
    checkpoint: positionSchema
      .nullable()
      .meta({ description: 'Everything up to here is folded. Null before the first commit.' }),
    events: z.int().nonnegative().meta({ description: 'How many events were folded.' }),
    percent: z
      .number()
      .min(0)
      .max(100)
      .nullable()
      .meta({ description: 'Of the log. Null while the log does not say where it ends.' }),
    problem: z.string().nullable().meta({ description: 'Why it failed; else null.' }),
  })
  .meta({ id: 'Generation' });

export const projectionSchema = z
  .strictObject({
    name: z.string(),
    version: z.int().positive(),
    serving: z.int().positive().nullable().meta({
      description: 'The generation that readers are answered from. Null before there is one.',
    }),
    state: z.enum(['live', 'catching-up', 'paused', 'stopped']),
    secondsBehind: z
      .int()
      .nonnegative()
      .nullable()
      .meta({ description: 'How old the view is; 0 when live. Null before anything is known.' }),
    distance: z
      .string()
      .regex(/^\d+$/)
      .nullable()
      .meta({ description: 'From its checkpoint to the end of the log. Null while unknown.' }),
    parked: z.int().nonnegative().meta({ description: 'How many keys stand still.' }),
    problem: z
      .string()
      .nullable()
      .meta({ description: 'What stops or hinders it, and what to do; null when nothing does.' }),
    generations: z.array(generationSchema),
  })
  .meta({ id: 'Projection' });

export type ProjectionJson = z.infer<typeof projectionSchema>;

export const projectionsSchema = z
  .strictObject({ items: z.array(projectionSchema) })
  .meta({ id: 'Projections' });

const parkedAtSchema = z
  .strictObject({
    stream: z.string(),
    revision: revisionSchema,
    reason: z.string().meta({ description: 'Why the event could not be folded.' }),
    at: instantSchema.meta({ description: 'When the event was stored.' }),
  })
  .meta({ id: 'ParkedAt' });

export const parkedKeySchema = z
  .strictObject({
    key: z.string().meta({ description: 'For sessions: `<tenant>.<session>`.' }),
    ...parkedAtSchema.shape,
  })
  .meta({ id: 'ParkedKey' });

export type ParkedKeyJson = z.infer<typeof parkedKeySchema>;

export const parkedPageSchema = z
  .strictObject({
    items: z.array(parkedKeySchema).meta({ description: 'By rising key.' }),
    cursor: z.string().nullable().meta({ description: 'For the next page. Null at the end.' }),
  })
  .meta({ id: 'ParkedPage' });

export const unparkedSchema = z
  .strictObject({
    key: z.string(),
    parked: parkedAtSchema
      .nullable()
      .meta({ description: 'The event at which it stands still again; null where it flows.' }),
  })
  .meta({ id: 'Unparked' });

const MAX_LIMIT = 500;
const LIMIT_RULE = `a whole number from 1 to ${MAX_LIMIT}`;
const CURSOR_RULE = 'a cursor, as a page gives it';

/** Parameters it does not know are left alone, as HTTP caches and proxies add some. */
export const parkedQuery = z.object({
  limit: z
    .string({ error: LIMIT_RULE })
    .regex(/^\d{1,3}$/, { error: LIMIT_RULE })
    .transform(Number)
    .pipe(z.int().min(1, { error: LIMIT_RULE }).max(MAX_LIMIT, { error: LIMIT_RULE }))
    .default(50)
    .meta({ description: 'The most keys of the page.' }),
  cursor: z
    .string({ error: CURSOR_RULE })
    .min(1, { error: CURSOR_RULE })
    .optional()
    .meta({ description: 'Where the page goes on, as the page before gave it.' }),
});
