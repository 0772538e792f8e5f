/** Query of the overview's route, and the id its stream resumes from. */
import { z } from 'zod';
import { CURSOR_PATTERN, parseCursor } from './overview-cursor.js';

export const SESSION_STATES = ['never-written', 'current', 'cleared'] as const;
export const ACTIVITIES = ['idle', 'running', 'finished', 'failed', 'interrupted'] as const;

const MAX_LIMIT = 500;
const DEFAULT_LIMIT = 50;
const LIMIT_RULE = `a whole number from 1 to ${MAX_LIMIT}`;
const STATE_RULE = `one of ${SESSION_STATES.join(', ')}`;
const ACTIVITY_RULE = `one of ${ACTIVITIES.join(', ')}`;
const STALLED_RULE = `a whole number of milliseconds, from 0 to ${Number.MAX_SAFE_INTEGER}`;
const CURSOR_RULE = 'a cursor as a page gives it; leave it out to begin at the first page';

/** Parameters it does not know are left alone, as HTTP caches and proxies add some. */
export const readOverviewQuery = z.object({
  state: z
    .enum(SESSION_STATES, { error: STATE_RULE })
    .optional()
    .meta({ description: 'Only sessions whose list is in this state.' }),
  activity: z
    .enum(ACTIVITIES, { error: ACTIVITY_RULE })
    .optional()
    .meta({ description: 'Only sessions with this activity.' }),
  stalledForMs: z
    .string({ error: STALLED_RULE })
    .regex(/^\d{1,16}$/, { error: STALLED_RULE })
    .transform(Number)
    .pipe(z.int({ error: STALLED_RULE }))
    .optional()
    .meta({
      description:
        'Only sessions with an open turn that wrote its list at least so many milliseconds ago.',
    }),
  limit: z
    .string({ error: LIMIT_RULE })
    .regex(/^\d{1,3}$/, { error: LIMIT_RULE })
    .transform(Number)
    .pipe(z.int().min(1, { error: LIMIT_RULE }).max(MAX_LIMIT, { error: LIMIT_RULE }))
    .default(DEFAULT_LIMIT)
    .meta({ description: 'The most sessions of the page.' }),
  cursor: z
    .string({ error: CURSOR_RULE })
    .regex(CURSOR_PATTERN, { error: CURSOR_RULE })
    .transform((text, context) => {
      const after = parseCursor(text);
      if (after === undefined) context.addIssue({ code: 'custom', message: CURSOR_RULE });
      return after ?? z.NEVER;
    })
    .optional()
    .meta({ description: 'Where the page before ended, as it gave it.' }),
});

const CHANGE = /^(0|[1-9]\d{0,15})$/;

/** A change number, as the stream's ids are. */
export const changeIdSchema = z.string().regex(CHANGE);

/** Undefined where the text is no change number. */
export function parseChange(text: string): number | undefined {
  const change = CHANGE.test(text) ? Number(text) : undefined;
  return Number.isSafeInteger(change) ? change : undefined;
}
