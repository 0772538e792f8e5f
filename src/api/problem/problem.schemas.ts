/** The body of every error (RFC 9457). */
import { z } from 'zod';
import { revisionSchema } from '../request/scalar.schemas.js';
import { PROBLEM_KINDS, type ProblemCode } from './problem-codes.js';

const codes = Object.keys(PROBLEM_KINDS).filter(isProblemCode);

export const problemSchema = z
  .strictObject({
    type: z.string().regex(/^urn:planlog:problem:[a-z_]+$/),
    title: z.string(),
    status: z.int().min(400).max(599),
    code: z.enum(codes).meta({ description: 'Stable: programs decide by it.' }),
    detail: z.string().meta({ description: 'For people: what is wrong and what to do.' }),
    errors: z
      .array(
        z.strictObject({
          path: z.string().meta({ examples: ['todos[1].status'] }),
          message: z.string(),
        }),
      )
      .optional()
      .meta({ description: 'Faults of the input, each with where it lies.' }),
    openTurnId: z
      .string()
      .optional()
      .meta({ description: 'With `turn_already_open` and `turn_mismatch`.' }),
    currentRevision: revisionSchema
      .nullable()
      .optional()
      .meta({ description: 'With `revision_conflict`. Null where there is no session.' }),
  })
  .meta({ id: 'Problem' });

function isProblemCode(key: string): key is ProblemCode {
  return Object.hasOwn(PROBLEM_KINDS, key);
}
