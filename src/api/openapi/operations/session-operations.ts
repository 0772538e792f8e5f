/** Sessions as a whole: they are forked and deleted. */
import { forkSessionBody } from '../../sessions/sessions.schemas.js';
import { problemAnswer, type Operation } from '../operation.js';
import { COMMAND_HEADERS, SESSION_ID } from '../parameters.js';
import { OF_COMMANDS } from '../problem-responses.js';
import { COMMAND_ID, COMMAND_ID_OF_PROBLEM, NO_STORE, POSITION } from '../response-headers.js';
import { receiptAnswer } from './receipt-answer.js';

const path = { sessionId: 'session-1' };

const forkSession: Operation = {
  id: 'forkSession',
  access: 'todos:write',
  method: 'post',
  path: '/v1/sessions/{sessionId}/fork',
  tag: 'Sessions',
  summary: 'Fork a session',
  description:
    'Creates a session that names this one as its origin. It starts empty, with no turn. If-Match is about the source. The receipt is that of the new session.',
  parameters: [SESSION_ID, ...COMMAND_HEADERS],
  body: { schema: forkSessionBody, required: true },
  answers: [receiptAnswer(201, 'The new session exists.')],
  problems: [
    ...OF_COMMANDS,
    'session_not_found',
    'session_exists',
    'session_deleted',
    'session_unreadable',
  ],
  problemHeaders: [COMMAND_ID_OF_PROBLEM],
  examples: [
    {
      name: 'session-forked',
      summary: 'A second attempt, from a session that exists',
      given: ['turn-started'],
      request: {
        path,
        headers: { 'Idempotency-Key': 'fork-1' },
        body: { sessionId: 'session-2' },
      },
      response: {
        status: 201,
        body: { sessionId: 'session-2', turnId: null, revision: '0', position: '3' },
      },
    },
    {
      name: 'fork-exists',
      summary: 'The new id was used before',
      given: ['turn-started', 'session-forked'],
      request: { path, body: { sessionId: 'session-2' } },
      response: problemAnswer('session_exists', 'The new session id was used before. Use another.'),
    },
    {
      name: 'fork-of-nothing',
      summary: 'There is no such source',
      request: { path, body: { sessionId: 'session-2' } },
      response: problemAnswer(
        'session_not_found',
        'There is no such session. Start a turn in it to create it.',
      ),
    },
  ],
};

const deleteSession: Operation = {
  id: 'deleteSession',
  access: 'sessions:delete',
  method: 'delete',
  path: '/v1/sessions/{sessionId}',
  tag: 'Sessions',
  summary: 'Delete a session',
  description:
    'Its lists go from the log, its view answers 410 from then on, and its id is never used again. Deleting it again is no error.',
  parameters: [SESSION_ID, ...COMMAND_HEADERS],
  answers: [
    { status: 204, description: 'It is deleted.', headers: [NO_STORE, COMMAND_ID, POSITION] },
  ],
  problems: [...OF_COMMANDS, 'session_not_found'],
  problemHeaders: [COMMAND_ID_OF_PROBLEM],
  examples: [
    {
      name: 'session-deleted',
      summary: 'Whatever its turn is at',
      given: ['turn-started'],
      request: { path, headers: { 'Idempotency-Key': 'delete-1' } },
      response: { status: 204 },
    },
    {
      name: 'nothing-to-delete',
      summary: 'There is no such session',
      request: { path },
      response: problemAnswer(
        'session_not_found',
        'There is no such session. Start a turn in it to create it.',
      ),
    },
    {
      name: 'deleted-if-unchanged',
      summary: 'Only as it was read',
      given: ['turn-started', 'list-written'],
      request: { path, headers: { 'If-Match': '"1"' } },
      response: problemAnswer(
        'revision_conflict',
        'The session is at revision 2. Read it again and decide anew.',
        { currentRevision: 2n },
      ),
    },
  ],
};

export const SESSION_OPERATIONS = [forkSession, deleteSession] as const;
