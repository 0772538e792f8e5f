/** What the tool routes take. */
import { z } from 'zod';
import { TOOL_FORMATS } from '../../commands/todo-write/tool/tool-definition.js';
import { COMMAND_ID_PATTERN, COMMAND_ID_RULE } from '../request/command-id.js';
import { idSchema } from '../request/ids.js';
import { bodySchema } from '../request/parse-input.js';

export const toolQuery = z.strictObject({
  format: z
    .enum(TOOL_FORMATS, { error: `one of ${TOOL_FORMATS.join(', ')}` })
    .default('json-schema'),
});

/** The envelope is the caller's and strict; what the model sent as arguments may be anything. */
export const toolCallBody = bodySchema({
  turnId: idSchema,
  callId: z
    .string({ error: COMMAND_ID_RULE })
    .regex(COMMAND_ID_PATTERN, { error: COMMAND_ID_RULE }),
  arguments: z.unknown().optional(),
});
