/** Generations as their operators see them. */
import { z } from 'zod';
import { invalidRequest } from '../problem/problem.js';
import { generationSchema } from '../projections/projections.schemas.js';

export const generationsSchema = z
  .strictObject({ items: z.array(generationSchema).meta({ description: 'By rising number.' }) })
  .meta({ id: 'Generations' });

const RULE = 'the number of a generation, from 1';

export const generationNumberSchema = z.string().regex(/^[1-9]\d{0,8}$/, { error: RULE });

/** @throws {Problem} it is no number of a generation */
export function generationNumber(text: string): number {
  if (!generationNumberSchema.safeParse(text).success) throw invalidRequest('generation', RULE);
  return Number(text);
}
