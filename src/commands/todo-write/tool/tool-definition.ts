/** The tool `todo_write` as a model is told of it, in the formats that model APIs take. */
import { z } from 'zod';
import { TODO_STATUSES } from '../../../events/todo.js';
import type { TodoPolicy } from '../../policy.js';

export const TOOL_NAME = 'todo_write';

export const TOOL_FORMATS = ['json-schema', 'openai', 'anthropic', 'mcp'] as const;
export type ToolFormat = (typeof TOOL_FORMATS)[number];

/** What the policy decides of the text. */
export type ToolTextPolicy = Pick<TodoPolicy, 'allowParallelInProgress' | 'maxItems'>;

/** The definition in one format. Self-contained: no `$ref`, no `$defs`. */
export function toolDefinition(format: ToolFormat, policy: ToolTextPolicy): object {
  const name = TOOL_NAME;
  const description = toolDescription(policy);
  const schema = toolSchema(policy);
  switch (format) {
    case 'openai':
      return { type: 'function', function: { name, description, parameters: schema } };
    case 'anthropic':
      return { name, description, input_schema: schema };
    case 'mcp':
      return { name, description, inputSchema: schema };
    case 'json-schema':
      return schema;
  }
}

function toolDescription({ allowParallelInProgress, maxItems }: ToolTextPolicy): string {
  return [
    'Keeps the task list of this session. Each call replaces the whole list: send every item,',
    'finished ones too, in the order of work. An item that you leave out is gone.',
    'Use it for work of three or more steps, and write the list again as soon as a step begins,',
    'ends or turns out to be needed.',
    allowParallelInProgress
      ? 'While work remains, mark what is being worked on as in_progress: one item, or several when work runs in parallel.'
      : 'While work remains, keep exactly one item in_progress: never more than one.',
    'Mark an item completed only when it is done in full.',
    `Each content is a short text that is unique in the list; at most ${maxItems} items.`,
    'The list clears when the next turn starts.',
  ].join(' ');
}

function toolSchema({ allowParallelInProgress }: ToolTextPolicy): object {
  const item = z.strictObject({
    content: z.string().describe('What is to be done. Unique in the list, not blank.'),
    status: z
      .enum(TODO_STATUSES)
      .describe(
        allowParallelInProgress
          ? 'in_progress: being worked on now.'
          : 'in_progress: being worked on now; at most one item.',
      ),
  });
  const schema = z.strictObject({
    todos: z.array(item).describe('The whole list, in the order of work. It may be empty.'),
  });
  const { $schema, ...bare } = z.toJSONSchema(schema, { target: 'draft-2020-12' });
  return bare;
}
