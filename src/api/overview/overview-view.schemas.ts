/** The overview as it is answered and sent (design, section 4). */
import { z } from 'zod';
import type { OverviewItem } from '../../projections/session-overview/overview-item.js';
import type { OverviewTotals } from '../../projections/session-overview/session-overview.js';
import { instantSchema, revisionSchema } from '../request/scalar.schemas.js';
import { countsSchema, turnSchema } from '../todos/todos-view.schemas.js';
import { ACTIVITIES, SESSION_STATES } from './overview.schemas.js';

const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

export const overviewItemSchema = z
  .strictObject({
    sessionId: z.string(),
    state: z.enum(SESSION_STATES),
    counts: countsSchema,
    active: z
      .array(z.string())
      .meta({ description: 'Contents of the items in progress, in the order of the list.' }),
    turn: turnSchema.nullable().meta({ description: 'The latest turn. Null before the first.' }),
    activity: z.enum(ACTIVITIES).meta({ description: 'As in the view of the session.' }),
    stalledForMs: count.nullable().meta({
      description:
        'Milliseconds since the open turn wrote its list last, when the answer was made. Null where no turn is open, or it has written none.',
    }),
    revision: revisionSchema,
    updatedAt: instantSchema,
    parked: z.literal(true).optional().meta({
      description:
        'Only where it is so: an event of the session could not be folded, and this is how it was before, until an operator mends it.',
    }),
  })
  .meta({
    id: 'OverviewItem',
    description: 'A session in short.',
  }) satisfies z.ZodType<OverviewItem>;

const totalsSchema = z
  .strictObject({
    sessions: count,
    byActivity: z
      .partialRecord(z.enum(ACTIVITIES), count)
      .meta({ description: 'How many sessions there are of each activity. None: no entry.' }),
    pending: count,
    inProgress: count,
    completed: count,
  })
  .meta({
    id: 'OverviewTotals',
    description:
      'Over all sessions of the tenant, whatever is filtered: a page that shows one activity still says how many there are of the others.',
  }) satisfies z.ZodType<OverviewTotals>;

export const overviewPageSchema = z
  .strictObject({
    items: z.array(overviewItemSchema).meta({ description: 'In the order of session ids.' }),
    cursor: z.string().nullable().meta({ description: 'For the next page. Null at the end.' }),
    totals: totalsSchema,
  })
  .meta({ id: 'OverviewPage' });
