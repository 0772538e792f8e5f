/** The body both bare programs take: the shape of a list, and no rule about its text. */
import { z } from 'zod';

export const writeBody = z.strictObject({
  turnId: z.string().min(1).max(128),
  todos: z.array(
    z.strictObject({
      content: z.string().min(1).max(2_000),
      status: z.enum(['pending', 'in_progress', 'completed']),
    }),
  ),
});
