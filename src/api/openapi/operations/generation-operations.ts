/** Generations of a projection: rebuilds, promotion and rollback. */
import { z } from 'zod';
import {
  generationNumberSchema,
  generationsSchema,
} from '../../generations/generations.schemas.js';
import { generationSchema } from '../../projections/projections.schemas.js';
import { problemAnswer, type Answer, type Operation } from '../operation.js';
import { pathParameter } from '../parameters.js';
import { NO_STORE } from '../response-headers.js';

const NAME = pathParameter(
  'name',
  'The projection.',
  z.string().meta({ examples: ['session-todos'] }),
);
const GENERATION = pathParameter(
  'generation',
  'The number of the generation.',
  generationNumberSchema,
);
const ADMIN =
  'It acts on the whole deployment, all tenants: the scope `admin` is never given to users of a tenant.';

const path = { name: 'session-todos' };
const first = { ...path, generation: '1' };
const second = { ...path, generation: '2' };
const unknown = { ...path, generation: '999' };
const noSuchGeneration = problemAnswer('not_found', 'session-todos has no generation 999');

const accepted: Answer = {
  status: 202,
  description: 'The generation as it is now.',
  headers: [NO_STORE],
  content: { mediaType: 'application/json', schema: generationSchema },
};

function shown(generation: number, state: string): object {
  return {
    generation,
    version: 1,
    state,
    checkpoint: state === 'building' ? null : '3',
    events: state === 'building' ? 0 : 3,
    percent: state === 'building' ? 0 : 100,
    problem: null,
  };
}

const listGenerations: Operation = {
  id: 'listGenerations',
  access: 'admin',
  method: 'get',
  path: '/v1/projections/{name}/generations',
  tag: 'Projections',
  summary: 'List the generations',
  description: `A read model is kept in generations: one is served, a rebuild makes another. ${ADMIN}`,
  parameters: [NAME],
  answers: [
    {
      status: 200,
      description: 'All of them, by rising number.',
      headers: [NO_STORE],
      content: { mediaType: 'application/json', schema: generationsSchema },
    },
  ],
  problems: ['not_found'],
  examples: [
    {
      name: 'generations-listed',
      summary: 'One, as after the first start',
      request: { path },
      response: { status: 200, body: { items: [shown(1, 'serving')] } },
    },
    {
      name: 'generations-of-nothing',
      summary: 'There is no such projection',
      request: { path: { name: 'session-notes' } },
      response: problemAnswer(
        'not_found',
        'there is no projection session-notes; there are: session-todos, session-overview',
      ),
    },
  ],
};

const rebuild: Operation = {
  id: 'rebuild',
  access: 'admin',
  method: 'post',
  path: '/v1/projections/{name}/generations',
  tag: 'Projections',
  summary: 'Rebuild',
  description: `Has a new generation built from the log, by a process of its own; readers notice nothing. One that is being built already is gone on with, so the call is safe to repeat. Ask for the list to see how far it is. ${ADMIN}`,
  parameters: [NAME],
  answers: [accepted],
  problems: ['not_found'],
  examples: [
    {
      name: 'rebuild-started',
      summary: 'A new generation is being built',
      request: { path },
      response: { status: 202, body: shown(2, 'building') },
    },
  ],
};

const promote: Operation = {
  id: 'promoteGeneration',
  access: 'admin',
  method: 'post',
  path: '/v1/projections/{name}/generations/{generation}/promote',
  tag: 'Projections',
  summary: 'Promote a generation',
  description: `Readers are answered from it once it has come at least as far as the one that is served; that one is kept and goes on following the log. Promoting a kept one is the way back. Promoting the served one changes nothing. ${ADMIN}`,
  parameters: [NAME, GENERATION],
  answers: [accepted],
  problems: ['not_found', 'generation_not_ready'],
  examples: [
    {
      name: 'generation-promoted',
      summary: 'It is served',
      request: { path: first },
      response: { status: 202, body: shown(1, 'serving') },
    },
    {
      name: 'promotion-of-nothing',
      summary: 'There is no such generation',
      request: { path: unknown },
      response: noSuchGeneration,
    },
  ],
};

const drop: Operation = {
  id: 'dropGeneration',
  access: 'admin',
  method: 'delete',
  path: '/v1/projections/{name}/generations/{generation}',
  tag: 'Projections',
  summary: 'Drop a generation',
  description: `Cancels the building of a generation, or removes one with its rows. The one that is served cannot be dropped. ${ADMIN}`,
  parameters: [NAME, GENERATION],
  answers: [accepted],
  problems: ['not_found', 'generation_serving'],
  examples: [
    {
      name: 'generation-dropped',
      summary: 'It was being built',
      given: ['rebuild-started'],
      request: { path: second },
      response: { status: 202, body: { ...shown(2, 'building'), state: 'cancelled' } },
    },
    {
      name: 'served-generation-stays',
      summary: 'It is served',
      request: { path: first },
      response: problemAnswer(
        'generation_serving',
        'generation 1 is the one that is served; promote another one first',
      ),
    },
  ],
};

export const GENERATION_OPERATIONS = [listGenerations, rebuild, promote, drop] as const;
