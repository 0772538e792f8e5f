/** The fleet: all sessions in short, by pages and live. */
import { z } from 'zod';
import { formatCursor } from '../../overview/overview-cursor.js';
import { overviewItemSchema, overviewPageSchema } from '../../overview/overview-view.schemas.js';
import { readOverviewQuery } from '../../overview/overview.schemas.js';
import { deletedSessionSchema } from '../../todos/todos-view.schemas.js';
import { problemAnswer, type Operation } from '../operation.js';
import { ACTOR, LAST_CHANGE_ID, queryParameters } from '../parameters.js';
import { CHANGE, NO_STORE, PRIVATE_NO_CACHE, UNBUFFERED } from '../response-headers.js';
import { COUNTS, VIEW } from './todo-examples.js';

/** The session after `list-written`. */
const WORKING = {
  sessionId: 'session-1',
  state: 'current',
  counts: COUNTS,
  active: ['Fix the tax calculation'],
  turn: VIEW.turn,
  activity: 'running',
  stalledForMs: 1_250,
  revision: '2',
  updatedAt: VIEW.updatedAt,
};

/** The session after `session-forked`. */
const FORKED = {
  ...WORKING,
  sessionId: 'session-2',
  state: 'never-written',
  counts: { pending: 0, inProgress: 0, completed: 0, total: 0 },
  active: [],
  turn: null,
  activity: 'idle',
  stalledForMs: null,
  revision: '0',
};

const TOTALS = {
  sessions: 1,
  byActivity: { running: 1 },
  pending: 1,
  inProgress: 1,
  completed: 1,
};
const WITH_FORK = { ...TOTALS, sessions: 2, byActivity: { idle: 1, running: 1 } };

const BAD_CURSOR = 'a cursor as a page gives it; leave it out to begin at the first page';
const BAD_ID = 'an id of this stream, such as 12';

const listSessions: Operation = {
  id: 'listSessions',
  access: 'todos:read',
  method: 'get',
  path: '/v1/sessions',
  tag: 'Fleet',
  summary: 'List sessions',
  description:
    'All sessions of the tenant in short, in the order of their ids, page by page. Each that is there all the while comes once, whatever happens between two pages. Deleted sessions are not shown. The totals are those of all sessions of the tenant, whatever is filtered. What the view of a session shows is shown here, too. To follow without a gap, hand `Planlog-Change` of the first page to the stream as `Last-Event-ID`.',
  parameters: [...queryParameters(readOverviewQuery), ACTOR],
  answers: [
    {
      status: 200,
      description: 'A page.',
      headers: [PRIVATE_NO_CACHE, CHANGE],
      content: { mediaType: 'application/json', schema: overviewPageSchema },
    },
  ],
  problems: [],
  examples: [
    {
      name: 'sessions-listed',
      summary: 'All sessions',
      given: ['turn-started', 'list-written'],
      response: { status: 200, body: { items: [WORKING], cursor: null, totals: TOTALS } },
    },
    {
      name: 'sessions-filtered',
      summary: 'Open turns that wrote nothing for ten minutes: there is none',
      given: ['turn-started', 'list-written'],
      request: { query: { activity: 'running', stalledForMs: '600000' } },
      response: { status: 200, body: { items: [], cursor: null, totals: TOTALS } },
    },
    {
      name: 'sessions-first-page',
      summary: 'A page that is not the last',
      given: ['turn-started', 'list-written', 'session-forked'],
      request: { query: { limit: '1' } },
      response: {
        status: 200,
        body: { items: [WORKING], cursor: formatCursor('session-1'), totals: WITH_FORK },
      },
    },
    {
      name: 'sessions-next-page',
      summary: 'The page after it',
      given: ['turn-started', 'list-written', 'session-forked'],
      request: { query: { limit: '1', cursor: formatCursor('session-1') } },
      response: { status: 200, body: { items: [FORKED], cursor: null, totals: WITH_FORK } },
    },
    {
      name: 'sessions-from-nowhere',
      summary: 'A cursor that no page gives',
      request: { query: { cursor: 'session-1' } },
      response: problemAnswer('invalid_request', `cursor: ${BAD_CURSOR}`, {
        errors: [{ path: 'cursor', message: BAD_CURSOR }],
      }),
    },
  ],
};

const followSessions: Operation = {
  id: 'followSessions',
  access: 'todos:read',
  method: 'get',
  path: '/v1/sessions/events',
  tag: 'Fleet',
  summary: 'Follow all sessions',
  description:
    'Server-sent events of the tenant: `event: session`, `id: <change number>`, `data: <the session in short>` on each change, and `event: deleted`, numbers strictly rising. There is no snapshot at first: list, then follow from the list’s `Planlog-Change`. The stream begins with an id and no event, so that a client that is cut off at once resumes there. `Last-Event-ID` gives each session that has changed since, once, as it is now. A slow client, too, gets each session as it is when it reads, not every change. A comment every 15 s keeps the stream open.',
  parameters: [LAST_CHANGE_ID, ACTOR],
  answers: [
    {
      status: 200,
      description: 'The stream, which stays open.',
      headers: [NO_STORE, UNBUFFERED],
      content: {
        mediaType: 'text/event-stream',
        schema: z.string(),
        events: { session: overviewItemSchema, deleted: deletedSessionSchema },
      },
    },
  ],
  problems: [],
  examples: [
    {
      name: 'sessions-followed',
      summary: 'What has changed since',
      given: ['turn-started', 'list-written', 'view-read', 'sessions-listed'],
      request: { headers: { 'Last-Event-ID': '0' } },
      response: {
        status: 200,
        body: `event: session\nid: 2\ndata: ${JSON.stringify(WORKING)}\n\n`,
      },
    },
    {
      name: 'sessions-followed-from-nowhere',
      summary: 'An id that this stream does not give',
      request: { headers: { 'Last-Event-ID': 'latest' } },
      response: problemAnswer('invalid_request', `Last-Event-ID: ${BAD_ID}`, {
        errors: [{ path: 'Last-Event-ID', message: BAD_ID }],
      }),
    },
  ],
};

export const OVERVIEW_OPERATIONS = [listSessions, followSessions] as const;
