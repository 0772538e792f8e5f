import { todoPolicySchema } from '../../../../src/commands/policy.js';
import {
  TOOL_FORMATS,
  toolDefinition,
} from '../../../../src/commands/todo-write/tool/tool-definition.js';

const strict = todoPolicySchema.parse({ allowParallelInProgress: false });
const parallel = todoPolicySchema.parse({ allowParallelInProgress: true, maxItems: 7 });

const schema = {
  type: 'object',
  properties: {
    todos: {
      type: 'array',
      description: expect.any(String) as unknown,
      items: {
        type: 'object',
        properties: {
          content: { type: 'string', description: expect.any(String) as unknown },
          status: {
            type: 'string',
            enum: ['pending', 'in_progress', 'completed'],
            description: expect.any(String) as unknown,
          },
        },
        required: ['content', 'status'],
        additionalProperties: false,
      },
    },
  },
  required: ['todos'],
  additionalProperties: false,
};

it('has the four formats of design.md 4', () => {
  const name = 'todo_write';
  const description = expect.stringContaining('task list') as unknown;
  expect(toolDefinition('json-schema', strict)).toEqual(schema);
  expect(toolDefinition('openai', strict)).toEqual({
    type: 'function',
    function: { name, description, parameters: schema },
  });
  expect(toolDefinition('anthropic', strict)).toEqual({ name, description, input_schema: schema });
  expect(toolDefinition('mcp', strict)).toEqual({ name, description, inputSchema: schema });
});

it.each(TOOL_FORMATS)('%s is self-contained', (format) => {
  expect(JSON.stringify(toolDefinition(format, strict))).not.toMatch(/\$(ref|defs|schema)/);
});

it('its text follows the policy', () => {
  const one = JSON.stringify(toolDefinition('mcp', strict));
  const many = JSON.stringify(toolDefinition('mcp', parallel));
  expect(one).toContain('exactly one item in_progress');
  expect(one).toContain('at most 200 items');
  expect(many).toContain('several when work runs in parallel');
  expect(many).not.toContain('exactly one');
  expect(many).not.toContain('at most one item');
  expect(many).toContain('at most 7 items');
});
