/** The tool `todo_write`: how a model is told of it, and its calls. */
import { COMMAND_ID_RULE } from '../../../commands/session/validate-command.js';
import {
  toolDefinition,
  type ToolFormat,
} from '../../../commands/todo-write/tool/tool-definition.js';
import { toolCallBody, toolQuery } from '../../tools/tools.schemas.js';
import { toolDefinitionSchema, toolResultSchema } from '../../tools/tool-answers.schemas.js';
import { problemAnswer, type Operation } from '../operation.js';
import { ACTOR, IF_MATCH, queryParameters, SESSION_ID, TRACEPARENT } from '../parameters.js';
import { WITH_BODY } from '../problem-responses.js';
import {
  COMMAND_ID,
  COMMAND_ID_OF_PROBLEM,
  NO_STORE,
  PRIVATE_NO_CACHE,
} from '../response-headers.js';
import { COUNTS, LIST } from './todo-examples.js';

const path = { sessionId: 'session-1' };
const envelope = { turnId: 'turn-1', callId: 'call-1' };

/** As a server answers whose policy is the default. */
function definition(format: ToolFormat) {
  const body = toolDefinition(format, { allowParallelInProgress: false, maxItems: 200 });
  return { status: 200, body };
}

/** What the model reads of a call that changed nothing. */
function refused(...lines: string[]) {
  const content = [{ type: 'text', text: lines.join('\n') }];
  return { status: 200, body: { isError: true, content } };
}

const readTool: Operation = {
  id: 'readTool',
  access: 'todos:read',
  method: 'get',
  path: '/v1/tools/todo_write',
  tag: 'Tool',
  summary: 'Read the definition of the tool',
  description:
    'In the format of a model API. Its text follows the policy of the server. It is self-contained: no `$ref`, no `$defs`.',
  parameters: queryParameters(toolQuery),
  answers: [
    {
      status: 200,
      description: 'The definition.',
      headers: [PRIVATE_NO_CACHE],
      content: { mediaType: 'application/json', schema: toolDefinitionSchema },
    },
  ],
  problems: [],
  examples: [
    {
      name: 'tool-as-schema',
      summary: 'The bare schema of the arguments',
      response: definition('json-schema'),
    },
    {
      name: 'tool-for-openai',
      summary: 'As OpenAI takes it',
      request: { query: { format: 'openai' } },
      response: definition('openai'),
    },
    {
      name: 'tool-for-anthropic',
      summary: 'As Anthropic takes it',
      request: { query: { format: 'anthropic' } },
      response: definition('anthropic'),
    },
    {
      name: 'tool-for-mcp',
      summary: 'As MCP takes it',
      request: { query: { format: 'mcp' } },
      response: definition('mcp'),
    },
    {
      name: 'unknown-format',
      summary: 'A format that is none',
      request: { query: { format: 'yaml' } },
      response: problemAnswer(
        'invalid_request',
        'format: one of json-schema, openai, anthropic, mcp',
        {
          errors: [{ path: 'format', message: 'one of json-schema, openai, anthropic, mcp' }],
        },
      ),
    },
  ],
};

const callTool: Operation = {
  id: 'callTool',
  access: 'todos:write',
  method: 'post',
  path: '/v1/sessions/{sessionId}/tools/todo_write',
  tag: 'Tool',
  summary: 'Run the tool',
  description:
    "Runs a model's call as it came. What the model can correct, or has to know, is 200 with `isError`: the text names each fault, says what is allowed and restates the current counts. A bad envelope, 412, and faults of the server stay errors: they are the caller's. The call id is the command id, and is returned as one.",
  parameters: [SESSION_ID, IF_MATCH, ACTOR, TRACEPARENT],
  body: { schema: toolCallBody, required: true },
  answers: [
    {
      status: 200,
      description: 'The result, for the model.',
      headers: [NO_STORE, COMMAND_ID],
      content: { mediaType: 'application/json', schema: toolResultSchema },
    },
  ],
  problems: [
    ...WITH_BODY,
    'revision_conflict',
    'outcome_unknown',
    'contended',
    'overloaded',
    'session_unreadable',
  ],
  // Where the envelope is not valid there is no call id to return.
  problemHeaders: [COMMAND_ID_OF_PROBLEM],
  examples: [
    {
      name: 'tool-called',
      summary: 'A call that writes the list',
      given: ['turn-started'],
      request: { path, body: { ...envelope, arguments: { todos: LIST } } },
      response: {
        status: 200,
        body: {
          isError: false,
          content: [
            {
              type: 'text',
              text: 'Updated todo list: 1 pending, 1 in progress, 1 completed.',
            },
          ],
          structuredContent: { todos: LIST, counts: COUNTS, revision: '2' },
        },
      },
    },
    {
      name: 'tool-called-with-text',
      summary: 'Arguments as JSON text, with a field that items do not have',
      given: ['turn-started'],
      request: {
        path,
        body: {
          ...envelope,
          arguments:
            '{"todos":[{"id":"1","content":"Fix the tax calculation","status":"in_progress"}]}',
        },
      },
      response: {
        status: 200,
        body: {
          isError: false,
          content: [
            {
              type: 'text',
              text: 'Updated todo list: 0 pending, 1 in progress, 0 completed.\nDropped fields that items do not have: id.',
            },
          ],
          structuredContent: {
            todos: [{ content: 'Fix the tax calculation', status: 'in_progress' }],
            counts: { pending: 0, inProgress: 1, completed: 0, total: 1 },
            revision: '2',
          },
        },
      },
    },
    {
      name: 'tool-called-wrongly',
      summary: 'A call that the model can correct',
      given: ['turn-started', 'list-written'],
      request: {
        path,
        body: {
          ...envelope,
          arguments: { todos: [{ content: 'Fix the tax calculation', status: 'doing' }] },
        },
      },
      response: refused(
        'The todo list was not changed. The list is not valid. Correct each fault and send the whole list again.',
        '- todos[0].status must be one of "pending", "in_progress", "completed"',
        'Current list: 1 pending, 1 in progress, 1 completed.',
        'Send the whole list again, such as {"todos":[{"content":"Run the tests","status":"pending"}]}.',
      ),
    },
    {
      name: 'tool-called-without-a-turn',
      summary: 'No turn is open: the model is told',
      given: ['turn-started', 'list-written', 'turn-ended'],
      request: { path, body: { ...envelope, arguments: { todos: LIST } } },
      response: refused(
        'The todo list was not changed. No turn is open in this session. Start a turn first.',
        'Current list: 1 pending, 1 in progress, 1 completed.',
      ),
    },
    {
      name: 'tool-called-without-a-call-id',
      summary: 'A bad envelope is an error of the caller',
      request: { path, body: { turnId: 'turn-1', arguments: { todos: LIST } } },
      response: problemAnswer('invalid_request', `callId: ${COMMAND_ID_RULE}`, {
        errors: [{ path: 'callId', message: COMMAND_ID_RULE }],
      }),
    },
    {
      name: 'tool-called-too-late',
      summary: 'If-Match fences a call as it does every command',
      given: ['turn-started', 'list-written'],
      request: {
        path,
        headers: { 'If-Match': '"1"' },
        body: { ...envelope, arguments: { todos: LIST } },
      },
      response: problemAnswer(
        'revision_conflict',
        'The session is at revision 2. Read it again and decide anew.',
        { currentRevision: 2n },
      ),
    },
  ],
};

export const TOOL_OPERATIONS = [readTool, callTool] as const;
