/** Query of the history's route. */
import { z } from 'zod';

const MAX_LIMIT = 500;
const DEFAULT_LIMIT = 50;
const LIMIT_RULE = `a whole number from 1 to ${MAX_LIMIT}`;
/** The highest revision a log can have. */
const MAX_REVISION = 2n ** 63n - 1n;
const BEFORE_RULE = 'a revision, as a page gives it';

/** Parameters it does not know are left alone, as HTTP caches and proxies add some. */
export const readHistoryQuery = z.object({
  limit: z
    .string({ error: LIMIT_RULE })
    .regex(/^\d{1,3}$/, { error: LIMIT_RULE })
    .transform(Number)
    .pipe(z.int().min(1, { error: LIMIT_RULE }).max(MAX_LIMIT, { error: LIMIT_RULE }))
    .default(DEFAULT_LIMIT)
    .meta({ description: 'The most lists of the page.' }),
  before: z
    .string({ error: BEFORE_RULE })
    .regex(/^(0|[1-9]\d{0,18})$/, { error: BEFORE_RULE })
    .transform(BigInt)
    .pipe(z.bigint().max(MAX_REVISION, { error: BEFORE_RULE }))
    .optional()
    .meta({ description: 'Only lists of lower revisions, as the page before gave it.' }),
});
