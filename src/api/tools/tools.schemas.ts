/** What the tool routes take. */
import { z } from 'zod';
import { TOOL_FORMATS } from '../../commands/todo-write/tool/tool-definition.js';
import { commandIdSchema } from '../request/command-id.js';
import { idSchema } from '../request/ids.js';
import { bodySchema } from '../request/parse-input.js';

/** Parameters it does not know are left alone, as HTTP caches and proxies add some. */
export const toolQuery = z.object({
  format: z
    .enum(TOOL_FORMATS, { error: `one of ${TOOL_FORMATS.join(', ')}` })
    .default('json-schema')
    .meta({ description: 'Whose form the definition takes.' }),
});

/** The envelope is the caller's and strict; what the model sent as arguments may be anything. */
export const toolCallBody = bodySchema({
  turnId: idSchema,
  callId: commandIdSchema.meta({
    description:
      "The model's id of the call. With equal content it is a retry of the turn's latest write; else a new write.",
  }),
  arguments: z.unknown().optional().meta({
    description:
      "The model's arguments as they came: an object or its JSON text, whatever it holds. What is wrong with them is told in the result.",
  }),
}).meta({ id: 'ToolCall' });
