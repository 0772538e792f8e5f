/** The checklist, written whole. */
import { writeTodosDocumented } from '../../todos/todos.schemas.js';
import { problemAnswer, type Operation } from '../operation.js';
import { COMMAND_HEADERS, SESSION_ID } from '../parameters.js';
import { OF_COMMANDS } from '../problem-responses.js';
import { COMMAND_ID_OF_PROBLEM } from '../response-headers.js';
import { COUNTS, LIST } from './todo-examples.js';
import { receiptAnswer } from './receipt-answer.js';

const path = { sessionId: 'session-1' };
const NOT_VALID = 'The list is not valid. Correct each fault and send the whole list again.';

export const WRITE_TODOS: Operation = {
  id: 'writeTodos',
  access: 'todos:write',
  method: 'put',
  path: '/v1/sessions/{sessionId}/todos',
  tag: 'Todos',
  summary: 'Write the list',
  description:
    "Replaces the whole list; the last write wins. Only the session's agent may, and only in the open turn. An empty list is a valid write.",
  parameters: [SESSION_ID, ...COMMAND_HEADERS],
  body: { schema: writeTodosDocumented, required: true },
  answers: [receiptAnswer(200, 'The list is written.')],
  problems: [
    ...OF_COMMANDS,
    'actor_not_allowed',
    'session_not_found',
    'turn_not_open',
    'turn_mismatch',
    'session_deleted',
    'invalid_todos',
    'too_many_in_progress',
    'session_unreadable',
  ],
  problemHeaders: [COMMAND_ID_OF_PROBLEM],
  examples: [
    {
      name: 'list-written',
      summary: 'The plan, with one item in progress',
      given: ['turn-started'],
      request: {
        path,
        headers: { 'Idempotency-Key': 'write-1', 'If-Match': '"1"' },
        body: { turnId: 'turn-1', todos: LIST },
      },
      response: {
        status: 200,
        body: {
          sessionId: 'session-1',
          turnId: 'turn-1',
          revision: '2',
          position: '3',
          counts: COUNTS,
        },
      },
    },
    {
      name: 'nothing-in-progress',
      summary: 'Accepted, with a hint',
      given: ['turn-started'],
      request: {
        path,
        body: {
          turnId: 'turn-1',
          todos: [{ content: 'Reproduce the rounding error', status: 'pending' }],
        },
      },
      response: {
        status: 200,
        body: {
          sessionId: 'session-1',
          turnId: 'turn-1',
          revision: '2',
          position: '3',
          counts: { pending: 1, inProgress: 0, completed: 0, total: 1 },
          hints: ['1 task remains and none is in progress.'],
        },
      },
    },
    {
      name: 'empty-list-written',
      summary: 'An empty list is a write like any other',
      given: ['turn-started', 'list-written'],
      request: { path, body: { turnId: 'turn-1', todos: [] } },
      response: {
        status: 200,
        body: {
          sessionId: 'session-1',
          turnId: 'turn-1',
          revision: '3',
          position: '4',
          counts: { pending: 0, inProgress: 0, completed: 0, total: 0 },
        },
      },
    },
    {
      name: 'list-not-valid',
      summary: 'Each fault is named by where it lies',
      given: ['turn-started'],
      request: {
        path,
        body: {
          turnId: 'turn-1',
          todos: [
            { content: 'Reproduce the rounding error', status: 'done' },
            { content: ' ', status: 'pending' },
          ],
        },
      },
      response: problemAnswer('invalid_todos', NOT_VALID, {
        errors: [
          {
            path: 'todos[0].status',
            message: 'must be one of "pending", "in_progress", "completed"',
          },
          { path: 'todos[1].content', message: 'must have at least one visible character' },
        ],
      }),
    },
    {
      name: 'two-in-progress',
      summary: 'More in progress than the policy allows',
      given: ['turn-started'],
      request: {
        path,
        body: {
          turnId: 'turn-1',
          todos: [
            { content: 'Fix the tax calculation', status: 'in_progress' },
            { content: 'Add a regression test', status: 'in_progress' },
          ],
        },
      },
      response: problemAnswer(
        'too_many_in_progress',
        'At most one item may be in_progress. Keep one and make the others pending or completed.',
        {
          errors: [
            {
              path: 'todos[1].status',
              message: 'must be "pending" or "completed": todos[0] is in_progress already',
            },
          ],
        },
      ),
    },
    {
      name: 'written-by-a-person',
      summary: 'Only the agent writes lists',
      given: ['turn-started'],
      request: {
        path,
        headers: { 'Planlog-Actor': 'user' },
        body: { turnId: 'turn-1', todos: LIST },
      },
      response: problemAnswer(
        'actor_not_allowed',
        "Only the session's agent writes its list, not an actor of kind user.",
      ),
    },
    {
      name: 'written-in-another-turn',
      summary: 'The turn that is named is not the open one',
      given: ['turn-started'],
      request: { path, body: { turnId: 'turn-0', todos: LIST } },
      response: problemAnswer(
        'turn_mismatch',
        'Turn turn-1 is open, not turn-0. Only the open turn can be written.',
        { openTurnId: 'turn-1' },
      ),
    },
  ],
};
