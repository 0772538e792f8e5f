/** The checklist, read: its view, live, and its history. */
import { z } from 'zod';
import { historyPageSchema } from '../../history/history-page.schemas.js';
import { readHistoryQuery } from '../../history/history.schemas.js';
import { deletedSessionSchema, sessionTodosSchema } from '../../todos/todos-view.schemas.js';
import { readTodosQuery } from '../../todos/todos.schemas.js';
import { problemAnswer, type Operation } from '../operation.js';
import { ACTOR, IF_NONE_MATCH, LAST_EVENT_ID, queryParameters, SESSION_ID } from '../parameters.js';
import { NO_STORE, PRIVATE_NO_CACHE, UNBUFFERED, VIEW_ETAG } from '../response-headers.js';
import { CLEARED_VIEW, FRAME, LIST, VIEW } from './todo-examples.js';

const path = { sessionId: 'session-1' };
const NOT_FOUND = problemAnswer(
  'session_not_found',
  'there is no session session-1; its first turn creates it',
);
const DELETED = problemAnswer('session_deleted', 'session session-1 was deleted');
/** Waits for what was written, as a log has it that held nothing before. */
const after = (position: number) => ({ after: String(position), timeoutMs: '30000' });

const readTodos: Operation = {
  id: 'readTodos',
  access: 'todos:read',
  method: 'get',
  path: '/v1/sessions/{sessionId}/todos',
  tag: 'Todos',
  summary: 'Read the view',
  description:
    'The list as it was last committed to the read model. With `after`, the position of a receipt, the answer includes what that receipt speaks of, or is 504.',
  parameters: [SESSION_ID, ...queryParameters(readTodosQuery), IF_NONE_MATCH, ACTOR],
  answers: [
    {
      status: 200,
      description: 'The view.',
      headers: [PRIVATE_NO_CACHE, VIEW_ETAG],
      content: { mediaType: 'application/json', schema: sessionTodosSchema },
    },
    {
      status: 304,
      description: 'The caller has it already.',
      headers: [PRIVATE_NO_CACHE, VIEW_ETAG],
    },
  ],
  problems: [
    'session_not_found',
    'session_deleted',
    'session_parked',
    'not_ready',
    'projection_behind',
  ],
  examples: [
    {
      name: 'view-read',
      summary: 'A list that is being worked on',
      given: ['turn-started', 'list-written'],
      request: { path, query: after(3) },
      response: { status: 200, body: VIEW },
    },
    {
      name: 'cleared-view-read',
      summary: 'The next turn has cleared the list; the one before is at hand',
      given: ['turn-started', 'list-written', 'turn-ended', 'next-turn-started'],
      request: { path, query: after(5) },
      response: { status: 200, body: CLEARED_VIEW },
    },
    {
      name: 'view-not-changed',
      summary: 'Nothing new',
      given: ['turn-started', 'list-written'],
      request: { path, query: after(3), headers: { 'If-None-Match': '"2"' } },
      response: { status: 304 },
    },
    {
      name: 'no-view',
      summary: 'There is no such session',
      request: { path },
      response: NOT_FOUND,
    },
    {
      name: 'deleted-view',
      summary: 'The session was deleted',
      given: ['turn-started', 'session-deleted'],
      request: { path, query: after(3) },
      response: DELETED,
    },
    {
      name: 'view-behind',
      summary: 'The read model has not come as far in time',
      given: ['turn-started'],
      request: { path, query: { after: '9000000000000000000', timeoutMs: '0' } },
      response: problemAnswer(
        'projection_behind',
        'the read model has not reached 9000000000000000000 in time; ask again, or wait longer with timeoutMs',
      ),
    },
    {
      name: 'wait-too-long',
      summary: 'A parameter that is out of its range',
      request: { path, query: { after: '4', timeoutMs: '60000' } },
      response: problemAnswer('invalid_request', 'timeoutMs: a whole number from 0 to 30000', {
        errors: [{ path: 'timeoutMs', message: 'a whole number from 0 to 30000' }],
      }),
    },
  ],
};

const followTodos: Operation = {
  id: 'followTodos',
  access: 'todos:read',
  method: 'get',
  path: '/v1/sessions/{sessionId}/todos/events',
  tag: 'Todos',
  summary: 'Follow the view live',
  description:
    'Server-sent events. The first frame is the view as it is, then comes every change, revisions strictly rising: `event: todos`, `id: <revision>`, `data: <the view>`. `event: deleted` ends the stream. A comment every 15 s keeps it open. The session need not exist yet: its first frame comes when it begins. A slow client gets the newest view, not every one.',
  parameters: [SESSION_ID, LAST_EVENT_ID, ACTOR],
  answers: [
    {
      status: 200,
      description: 'The stream, which stays open.',
      headers: [NO_STORE, UNBUFFERED],
      content: {
        mediaType: 'text/event-stream',
        schema: z.string(),
        events: { todos: sessionTodosSchema, deleted: deletedSessionSchema },
      },
    },
  ],
  problems: ['session_deleted', 'not_ready'],
  examples: [
    {
      name: 'followed',
      summary: 'The first frame is the view',
      given: ['turn-started', 'list-written', 'view-read'],
      request: { path },
      response: { status: 200, body: FRAME },
    },
    {
      name: 'followed-again',
      summary: 'After a cut: not older than what was seen',
      given: ['turn-started', 'list-written'],
      request: { path, headers: { 'Last-Event-ID': '2' } },
      response: { status: 200, body: FRAME },
    },
    {
      name: 'deleted-not-followed',
      summary: 'The session was deleted',
      given: ['turn-started', 'session-deleted', 'deleted-view'],
      request: { path },
      response: DELETED,
    },
    {
      name: 'followed-from-nowhere',
      summary: 'An id that this stream does not give',
      request: { path, headers: { 'Last-Event-ID': 'latest' } },
      response: problemAnswer(
        'invalid_request',
        'Last-Event-ID: an id of this stream, such as 12 or 12.1',
        {
          errors: [{ path: 'Last-Event-ID', message: 'an id of this stream, such as 12 or 12.1' }],
        },
      ),
    },
  ],
};

const readHistory: Operation = {
  id: 'readHistory',
  access: 'todos:read',
  method: 'get',
  path: '/v1/sessions/{sessionId}/todos/history',
  tag: 'Todos',
  summary: 'Read all lists',
  description:
    'Every list of the session with what it changed, from the log, newest first, by pages. A page may end before its limit, at 1 MiB: `before` says whether there is more.',
  parameters: [SESSION_ID, ...queryParameters(readHistoryQuery), ACTOR],
  answers: [
    {
      status: 200,
      description: 'A page.',
      headers: [PRIVATE_NO_CACHE],
      content: { mediaType: 'application/json', schema: historyPageSchema },
    },
  ],
  problems: ['session_not_found', 'session_deleted'],
  examples: [
    {
      name: 'history-read',
      summary: 'The list that was written first',
      given: ['turn-started', 'list-written', 'empty-list-written'],
      request: { path, query: { limit: '1', before: '3' } },
      response: {
        status: 200,
        body: {
          items: [
            {
              revision: '2',
              turnId: 'turn-1',
              at: VIEW.updatedAt,
              actor: { kind: 'agent', subject: 'local' },
              todos: LIST,
              change: {
                added: LIST.map(({ content }) => content),
                dropped: [],
                renamed: [],
                status: [],
              },
            },
          ],
          before: null,
        },
      },
    },
    {
      name: 'history-of-a-deleted-session',
      summary: 'The session was deleted',
      given: ['turn-started', 'session-deleted'],
      request: { path },
      response: DELETED,
    },
    {
      name: 'no-history',
      summary: 'There is no such session',
      request: { path },
      response: NOT_FOUND,
    },
  ],
};

export const READ_TODOS_OPERATIONS = [readTodos, followTodos, readHistory] as const;
