/** Bodies of the session routes. */
import { idSchema } from '../request/ids.js';
import { bodySchema } from '../request/parse-input.js';

export const forkSessionBody = bodySchema({
  sessionId: idSchema.meta({ description: 'Of the new session. It was never used before.' }),
}).meta({ id: 'ForkSession' });
