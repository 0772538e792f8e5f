/** Projections for those who run the deployment. */
import { z } from 'zod';
import {
  parkedPageSchema,
  parkedQuery,
  projectionSchema,
  projectionsSchema,
  unparkedSchema,
} from '../../projections/projections.schemas.js';
import { problemAnswer, type Answer, type Example, type Operation } from '../operation.js';
import { pathParameter, queryParameters } from '../parameters.js';
import { NO_STORE } from '../response-headers.js';

const NAME = pathParameter('name', 'The projection.', z.string());
const KEY = pathParameter('key', 'The row. For sessions: `<tenant>.<session>`.', z.string());

const MOMENT = '2026-11-30T09:00:00.000Z';
const path = { name: 'session-todos' };
const key = 'default.session-1';
/** Its second event cannot be read: no request brings that about. */
const setting = 'parked-session';

const AT = {
  stream: `agentSession-${key}`,
  revision: '1',
  reason: 'turn/start cannot be read: turnId: Invalid input: expected string, received undefined',
  at: MOMENT,
};

const SESSION_TODOS = {
  name: 'session-todos',
  version: 1,
  serving: 1,
  state: 'live',
  secondsBehind: 0,
  distance: '0',
  parked: 0,
  problem: null,
  generations: [
    {
      generation: 1,
      version: 1,
      state: 'serving',
      checkpoint: '12',
      events: 12,
      percent: 100,
      problem: null,
    },
  ],
};

function answer(description: string, schema: z.ZodType): Answer {
  return {
    status: 200,
    description,
    headers: [NO_STORE],
    content: { mediaType: 'application/json', schema },
  };
}

function unknownProjection(name: string): Example {
  return {
    name,
    summary: 'There is no such projection',
    request: { path: { name: 'session-todo', key } },
    response: problemAnswer(
      'not_found',
      'there is no projection session-todo; there are: session-todos, session-overview',
    ),
  };
}

function notParked(name: string): Example {
  return {
    name,
    summary: 'The session does not stand still',
    request: { path: { ...path, key } },
    response: problemAnswer('not_found', `${key} is not parked; list what is parked`),
  };
}

const listProjections: Operation = {
  id: 'listProjections',
  access: 'admin',
  method: 'get',
  path: '/v1/projections',
  tag: 'Projections',
  summary: 'How the projections are doing',
  description: 'Each with its state, how far it is behind, and its generations.',
  parameters: [],
  answers: [answer('All of them.', projectionsSchema)],
  problems: [],
  examples: [
    {
      name: 'projections-listed',
      summary: 'All is well',
      response: {
        status: 200,
        body: { items: [SESSION_TODOS, { ...SESSION_TODOS, name: 'session-overview' }] },
      },
    },
  ],
};

const pauseProjection: Operation = {
  id: 'pauseProjection',
  access: 'admin',
  method: 'post',
  path: '/v1/projections/{name}/pause',
  tag: 'Projections',
  summary: 'Pause a projection',
  description:
    'It finishes the batch in hand and stands still until it is resumed, also over restarts. Readers are answered from its rows as they are; `after` ends in 504 `projection_behind`. The server stays ready. Again is no error.',
  parameters: [NAME],
  answers: [answer('It stands still.', projectionSchema)],
  problems: ['not_found'],
  examples: [
    {
      name: 'projection-paused',
      summary: 'It stands still',
      request: { path },
      response: { status: 200, body: { ...SESSION_TODOS, state: 'paused' } },
    },
    unknownProjection('nothing-to-pause'),
  ],
};

const resumeProjection: Operation = {
  id: 'resumeProjection',
  access: 'admin',
  method: 'post',
  path: '/v1/projections/{name}/resume',
  tag: 'Projections',
  summary: 'Resume a projection',
  description: 'It goes on from where it stands. Again is no error.',
  parameters: [NAME],
  answers: [answer('It goes on.', projectionSchema)],
  problems: ['not_found'],
  examples: [
    {
      name: 'projection-resumed',
      summary: 'It goes on',
      given: ['projection-paused'],
      request: { path },
      response: { status: 200, body: SESSION_TODOS },
    },
    unknownProjection('nothing-to-resume'),
  ],
};

const listParked: Operation = {
  id: 'listParked',
  access: 'admin',
  method: 'get',
  path: '/v1/projections/{name}/parked',
  tag: 'Projections',
  summary: 'What stands still',
  description:
    'Keys at an event that could not be folded: which one, and why. Others flow. By pages.',
  parameters: [NAME, ...queryParameters(parkedQuery)],
  answers: [answer('A page.', parkedPageSchema)],
  problems: ['not_found'],
  examples: [
    {
      name: 'parked-listed',
      summary: 'A session whose turn cannot be read',
      setting,
      // The keys of one tenant lie together.
      request: { path, query: { limit: '1' } },
      response: { status: 200, body: { items: [{ key, ...AT }], cursor: null } },
    },
    unknownProjection('nothing-parked'),
    {
      name: 'parked-badly-asked',
      summary: 'A limit that is none',
      request: { path, query: { limit: '0' } },
      response: problemAnswer('invalid_request', 'limit: a whole number from 1 to 500', {
        errors: [{ path: 'limit', message: 'a whole number from 1 to 500' }],
      }),
    },
  ],
};

const retryParked: Operation = {
  id: 'retryParked',
  access: 'admin',
  method: 'post',
  path: '/v1/projections/{name}/parked/{key}/retry',
  tag: 'Projections',
  summary: 'Fold a parked key anew',
  description:
    'Its events are read again from the start and folded with the fold as it is now, such as after an update that can read them. Its epoch rises.',
  parameters: [NAME, KEY],
  answers: [answer('It was folded anew; `parked` says whether it flows.', unparkedSchema)],
  problems: ['not_found'],
  examples: [
    {
      name: 'parked-retried',
      summary: 'The event can still not be read',
      setting,
      request: { path: { ...path, key } },
      response: { status: 200, body: { key, parked: AT } },
    },
    notParked('nothing-to-retry'),
    unknownProjection('nowhere-to-retry'),
  ],
};

const discardParked: Operation = {
  id: 'discardParked',
  access: 'admin',
  method: 'post',
  path: '/v1/projections/{name}/parked/{key}/discard',
  tag: 'Projections',
  summary: 'Pass over the event at which a key stands',
  description:
    'For ever, and by every rebuild. Then its events are folded anew without it; another one that cannot be folded parks it again. The event stays in the log. Its epoch rises.',
  parameters: [NAME, KEY],
  answers: [answer('It was folded anew; `parked` says whether it flows.', unparkedSchema)],
  problems: ['not_found'],
  examples: [
    {
      name: 'parked-discarded',
      summary: 'It flows again',
      setting,
      request: { path: { ...path, key } },
      response: { status: 200, body: { key, parked: null } },
    },
    notParked('nothing-to-discard'),
    unknownProjection('nowhere-to-discard'),
  ],
};

export const PROJECTION_OPERATIONS = [
  listProjections,
  pauseProjection,
  resumeProjection,
  listParked,
  retryParked,
  discardParked,
] as const;
