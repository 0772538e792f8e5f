/** Health and documentation: open to all. */
import { z } from 'zod';
import { liveSchema, readySchema } from '../../health/health.schemas.js';
import { DOCS_ASSETS } from '../docs-assets.js';
import { problemAnswer, type Operation } from '../operation.js';
import { IF_NONE_MATCH, pathParameter } from '../parameters.js';
import { CONTENT_ETAG, CONTENT_SECURITY_POLICY, NO_CACHE, NO_STORE } from '../response-headers.js';

const open = { method: 'get', tag: 'Service', parameters: [] } as const;

const live: Operation = {
  ...open,
  id: 'live',
  access: 'open',
  path: '/health/live',
  summary: 'Does the process answer?',
  description: 'For liveness probes.',
  answers: [
    {
      status: 200,
      description: 'It does.',
      headers: [NO_STORE],
      content: { mediaType: 'application/json', schema: liveSchema },
    },
  ],
  problems: [],
  examples: [
    { name: 'alive', summary: 'It answers', response: { status: 200, body: { status: 'live' } } },
    {
      name: 'asked-from-elsewhere',
      summary: 'Where no auth is configured, only pages of this machine may ask',
      request: { headers: { Origin: 'https://example.org' } },
      response: problemAnswer(
        'forbidden',
        'this server has no auth configured and serves pages of this machine only',
      ),
    },
  ],
};

const ready: Operation = {
  ...open,
  id: 'ready',
  access: 'open',
  path: '/health/ready',
  summary: 'Can requests be served?',
  description: 'For readiness probes: every projection follows the log.',
  answers: [
    {
      status: 200,
      description: 'They can.',
      headers: [NO_STORE],
      content: { mediaType: 'application/json', schema: readySchema },
    },
  ],
  problems: ['not_ready'],
  examples: [
    {
      name: 'ready',
      summary: 'All is well',
      response: {
        status: 200,
        body: {
          status: 'ready',
          checks: [
            { name: 'truncate-deleted-sessions', state: 'live' },
            { name: 'session-todos', state: 'live' },
            { name: 'session-overview', state: 'live' },
          ],
        },
      },
    },
  ],
};

const document: Operation = {
  ...open,
  id: 'openapi',
  access: 'open',
  path: '/openapi.json',
  summary: 'Read this document',
  description: 'OpenAPI 3.1, made from the schemas that requests are parsed with.',
  parameters: [IF_NONE_MATCH],
  answers: [
    {
      status: 200,
      description: 'The document.',
      headers: [NO_CACHE, CONTENT_ETAG],
      content: { mediaType: 'application/json', schema: z.looseObject({ openapi: z.string() }) },
    },
    {
      status: 304,
      description: 'The caller has it already.',
      headers: [NO_CACHE, CONTENT_ETAG],
    },
  ],
  problems: [],
  examples: [
    {
      name: 'document-read',
      summary: 'The document',
      response: { status: 200, body: { openapi: '3.1.1', info: { title: 'Planlog' } } },
    },
    {
      name: 'document-not-changed',
      summary: 'Nothing new',
      request: { headers: { 'If-None-Match': '*' } },
      response: { status: 304 },
    },
  ],
};

const docs: Operation = {
  ...open,
  id: 'docs',
  access: 'open',
  path: '/docs',
  summary: 'See this document',
  description: 'A page that shows it and sends requests. Everything it needs comes from here.',
  answers: [
    {
      status: 200,
      description: 'The page.',
      headers: [NO_CACHE, CONTENT_ETAG, CONTENT_SECURITY_POLICY],
      content: { mediaType: 'text/html', schema: z.string() },
    },
  ],
  problems: [],
  examples: [
    {
      name: 'docs-seen',
      summary: 'The page',
      response: { status: 200, body: '<!doctype html>' },
    },
  ],
};

const docsAsset: Operation = {
  ...open,
  id: 'docsAsset',
  access: 'open',
  path: '/docs/{file}',
  summary: 'What the page needs',
  description: 'Its scripts, styles and icon.',
  parameters: [pathParameter('file', 'Its name.', z.enum(Object.keys(DOCS_ASSETS))), IF_NONE_MATCH],
  answers: [
    {
      status: 200,
      description: 'The file.',
      headers: [NO_CACHE, CONTENT_ETAG],
      content: { mediaType: '*/*', schema: z.unknown() },
    },
    {
      status: 304,
      description: 'The caller has it already.',
      headers: [NO_CACHE, CONTENT_ETAG],
    },
  ],
  problems: ['not_found'],
  examples: [
    {
      name: 'docs-file-read',
      summary: 'The script that starts the page',
      request: { path: { file: 'docs.js' } },
      response: { status: 200, body: '?' },
    },
    {
      name: 'docs-file-not-changed',
      summary: 'Nothing new',
      request: { path: { file: 'swagger-ui.css' }, headers: { 'If-None-Match': '*' } },
      response: { status: 304 },
    },
    {
      name: 'docs-file-unknown',
      summary: 'A file that is none of them',
      request: { path: { file: 'package.json' } },
      response: problemAnswer('not_found', 'there is no such file'),
    },
  ],
};

export const SERVICE_OPERATIONS = [live, ready, document, docs, docsAsset] as const;
