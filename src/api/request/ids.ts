/** Session and turn ids as they come with a request. */
import { z } from 'zod';
import { ID_PATTERN } from '../../events/session-stream.js';
import { invalidRequest } from '../problem/problem.js';

const RULE = '1 to 128 characters of A-Z a-z 0-9 . _ ~ -, the first a letter or a digit';

/** An id in a body. */
export const idSchema = z
  .string({ error: RULE })
  .regex(ID_PATTERN, { error: RULE })
  .meta({ description: RULE });

/**
 * An id in the path.
 *
 * @throws {Problem} it is none
 */
export function pathId(name: 'sessionId' | 'turnId', value: unknown): string {
  if (typeof value === 'string' && ID_PATTERN.test(value)) return value;
  throw invalidRequest(name, RULE);
}
