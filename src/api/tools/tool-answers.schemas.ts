/** What the tool routes answer. */
import { z } from 'zod';
import { TOOL_NAME } from '../../commands/todo-write/tool/tool-definition.js';
import type { ToolResult } from '../../commands/todo-write/tool/tool-result.js';
import { revisionSchema } from '../request/scalar.schemas.js';
import { countsSchema, todoSchema } from '../todos/todos-view.schemas.js';

export const toolResultSchema = z
  .strictObject({
    isError: z.boolean().meta({
      description:
        'The list was not changed, and the text tells the model how to correct the call.',
    }),
    content: z.tuple([z.strictObject({ type: z.literal('text'), text: z.string() })]),
    structuredContent: z
      .strictObject({ todos: z.array(todoSchema), counts: countsSchema, revision: revisionSchema })
      .exactOptional()
      .meta({ description: 'Where the list was written.' }),
  })
  .meta({
    id: 'ToolResult',
    description: 'The result of the call, in the form that MCP gives it.',
  }) satisfies z.ZodType<ToolResult>;

const jsonSchema = z.strictObject({
  type: z.literal('object'),
  properties: z.strictObject({ todos: z.looseObject({ type: z.literal('array') }) }),
  required: z.array(z.string()),
  additionalProperties: z.literal(false),
});
const name = z.literal(TOOL_NAME);
const description = z.string();

export const toolDefinitionSchema = z
  .union([
    jsonSchema,
    z.strictObject({
      type: z.literal('function'),
      function: z.strictObject({ name, description, parameters: jsonSchema }),
    }),
    z.strictObject({ name, description, input_schema: jsonSchema }),
    z.strictObject({ name, description, inputSchema: jsonSchema }),
  ])
  .meta({
    id: 'ToolDefinition',
    description: 'The tool `todo_write` in the format that was asked for. Self-contained.',
  });
