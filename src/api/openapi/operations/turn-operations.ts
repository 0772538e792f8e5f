/** Turns: they open and they close. */
import { endTurnBody, startTurnBody } from '../../turns/turns.schemas.js';
import { problemAnswer, type Operation } from '../operation.js';
import { COMMAND_HEADERS, SESSION_ID, TURN_ID } from '../parameters.js';
import { OF_COMMANDS } from '../problem-responses.js';
import { COMMAND_ID_OF_PROBLEM } from '../response-headers.js';
import { receiptAnswer } from './receipt-answer.js';

const path = { sessionId: 'session-1' };
const ofTurn = { ...path, turnId: 'turn-1' };

const startTurn: Operation = {
  id: 'startTurn',
  access: 'todos:write',
  method: 'post',
  path: '/v1/sessions/{sessionId}/turns',
  tag: 'Turns',
  summary: 'Open a turn',
  description:
    'Opens a turn; the standing list clears. Creates the session on first use. The body may be absent. Whoever repeats a StartTurn sends If-Match: once a later turn has ended, a delayed duplicate cannot be told from a new turn.',
  parameters: [SESSION_ID, ...COMMAND_HEADERS],
  body: { schema: startTurnBody, required: false },
  answers: [receiptAnswer(201, 'The turn is open.')],
  problems: [
    ...OF_COMMANDS,
    'turn_already_open',
    'turn_mismatch',
    'turn_id_reused',
    'session_deleted',
    'session_unreadable',
  ],
  problemHeaders: [COMMAND_ID_OF_PROBLEM],
  examples: [
    {
      name: 'turn-started',
      summary: 'The first turn creates the session',
      request: {
        path,
        headers: { 'Idempotency-Key': 'start-1', 'Planlog-Actor': 'agent' },
        body: { turnId: 'turn-1' },
      },
      response: {
        status: 201,
        body: { sessionId: 'session-1', turnId: 'turn-1', revision: '1', position: '2' },
      },
    },
    {
      name: 'next-turn-started',
      summary: 'The next turn, safe to repeat: the list clears',
      given: ['turn-started', 'list-written', 'turn-ended'],
      request: {
        path,
        headers: {
          'Idempotency-Key': 'start-2',
          'If-Match': '"3"',
          traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        },
        body: { turnId: 'turn-2' },
      },
      response: {
        status: 201,
        body: { sessionId: 'session-1', turnId: 'turn-2', revision: '4', position: '5' },
      },
    },
    {
      name: 'turn-superseded',
      summary: 'The open turn is closed and the next one opened, in one step',
      given: ['turn-started'],
      request: { path, body: { turnId: 'turn-2', supersede: 'turn-1' } },
      response: {
        status: 201,
        body: { sessionId: 'session-1', turnId: 'turn-2', revision: '3', position: '4' },
      },
    },
    {
      name: 'turn-started-without-a-body',
      summary: 'The id of the turn follows from the key',
      request: { path, headers: { 'Idempotency-Key': 'start-1' } },
      response: {
        status: 201,
        body: {
          sessionId: 'session-1',
          turnId: 'turn-1fe50df9512b2606b1cead4083fc5ac9',
          revision: '1',
          position: '2',
        },
      },
    },
    {
      name: 'turn-already-open',
      summary: 'Another turn is open, and was not to be superseded',
      given: ['turn-started'],
      request: { path, body: { turnId: 'turn-2' } },
      response: problemAnswer(
        'turn_already_open',
        'Turn turn-1 is open. End it, or supersede it by its id.',
        { openTurnId: 'turn-1' },
      ),
    },
    {
      name: 'another-turn-superseded',
      summary: 'The turn to supersede is not the open one',
      given: ['turn-started'],
      request: { path, body: { turnId: 'turn-3', supersede: 'turn-2' } },
      response: problemAnswer(
        'turn_mismatch',
        'Turn turn-1 is open, not turn-2. Supersede the open turn by its id.',
        { openTurnId: 'turn-1' },
      ),
    },
    {
      name: 'turn-id-reused',
      summary: 'The latest turn had this id',
      given: ['turn-started', 'list-written', 'turn-ended'],
      request: { path, body: { turnId: 'turn-1' } },
      response: problemAnswer(
        'turn_id_reused',
        'Turn id turn-1 was used before in this session. Use a new one.',
      ),
    },
    {
      name: 'key-reused',
      summary: 'The key was used for another command of this turn',
      given: ['turn-started'],
      request: { path, headers: { 'Idempotency-Key': 'start-1' }, body: { turnId: 'turn-2' } },
      response: problemAnswer(
        'idempotency_conflict',
        'This key was used in this turn for a command with other content. Use a new key.',
      ),
    },
    {
      name: 'delayed-start',
      summary: 'A delayed duplicate is fenced by If-Match',
      given: ['turn-started', 'list-written', 'turn-ended'],
      request: { path, headers: { 'If-Match': '"1"' }, body: { turnId: 'turn-2' } },
      response: problemAnswer(
        'revision_conflict',
        'The session is at revision 3. Read it again and decide anew.',
        { currentRevision: 3n },
      ),
    },
    {
      name: 'start-in-a-deleted-session',
      summary: 'A session id is never used again',
      given: ['turn-started', 'session-deleted'],
      request: { path, body: { turnId: 'turn-2' } },
      response: problemAnswer(
        'session_deleted',
        'The session was deleted. Use another session id.',
      ),
    },
    {
      name: 'unknown-field',
      summary: 'A field that is not known is refused',
      request: { path, body: { turn: 'turn-1' } },
      response: problemAnswer('invalid_request', 'turn: is not a known field', {
        errors: [{ path: 'turn', message: 'is not a known field' }],
      }),
    },
    {
      name: 'other-media-type',
      summary: 'A body is JSON',
      request: { path, headers: { 'Content-Type': 'text/plain' }, body: { turnId: 'turn-1' } },
      response: problemAnswer(
        'unsupported_media_type',
        'send the body as application/json, in UTF-8',
      ),
    },
  ],
};

const endTurn: Operation = {
  id: 'endTurn',
  access: 'todos:write',
  method: 'post',
  path: '/v1/sessions/{sessionId}/turns/{turnId}/end',
  tag: 'Turns',
  summary: 'Close a turn',
  description:
    'Closes the turn; its list stays visible. The turn is open, or it is the latest and ended with this outcome: the receipt is the same.',
  parameters: [SESSION_ID, TURN_ID, ...COMMAND_HEADERS],
  body: { schema: endTurnBody, required: true },
  answers: [receiptAnswer(200, 'The turn is closed.')],
  problems: [
    ...OF_COMMANDS,
    'session_not_found',
    'turn_not_open',
    'turn_mismatch',
    'session_deleted',
    'session_unreadable',
  ],
  problemHeaders: [COMMAND_ID_OF_PROBLEM],
  examples: [
    {
      name: 'turn-ended',
      summary: 'The run has come to its end',
      given: ['turn-started', 'list-written'],
      request: {
        path: ofTurn,
        headers: { 'Idempotency-Key': 'end-1' },
        body: { outcome: 'completed' },
      },
      response: {
        status: 200,
        body: { sessionId: 'session-1', turnId: 'turn-1', revision: '3', position: '4' },
      },
    },
    {
      name: 'turn-failed',
      summary: 'The run has failed',
      given: ['turn-started', 'list-written'],
      request: { path: ofTurn, body: { outcome: 'failed' } },
      response: {
        status: 200,
        body: { sessionId: 'session-1', turnId: 'turn-1', revision: '3', position: '4' },
      },
    },
    {
      name: 'ended-otherwise',
      summary: 'The turn has ended with another outcome',
      given: ['turn-started', 'list-written', 'turn-ended'],
      request: { path: ofTurn, body: { outcome: 'aborted' } },
      response: problemAnswer(
        'turn_not_open',
        'No turn is open in this session. Start a turn first.',
      ),
    },
    {
      name: 'end-in-no-session',
      summary: 'There is no such session',
      request: { path: ofTurn, body: { outcome: 'completed' } },
      response: problemAnswer(
        'session_not_found',
        'There is no such session. Start a turn in it to create it.',
      ),
    },
    {
      name: 'unknown-outcome',
      summary: 'An outcome that is none',
      given: ['turn-started'],
      request: { path: ofTurn, body: { outcome: 'done' } },
      response: problemAnswer('invalid_request', 'outcome: one of completed, aborted, failed', {
        errors: [{ path: 'outcome', message: 'one of completed, aborted, failed' }],
      }),
    },
  ],
};

export const TURN_OPERATIONS = [startTurn, endTurn] as const;
