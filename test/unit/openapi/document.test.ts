/** The document: valid OpenAPI 3.1, complete, and its examples of the form that it describes. */
import { z } from 'zod';
import { Validator } from '@seriousme/openapi-schema-validator';
import { buildDocument } from '../../../src/api/openapi/build-document.js';
import { OPERATIONS } from '../../../src/api/openapi/operations/operations.js';
import { PROBLEM_KINDS } from '../../../src/api/problem/problem-codes.js';
import { DocumentSchemas, documentSchema, operationsOf } from './api-document.js';

const text = JSON.stringify(buildDocument(OPERATIONS, '1.2.3'));
const document = documentSchema.parse(JSON.parse(text));
const operations = operationsOf(document);
const schemas = new DocumentSchemas(document);
const examples = operations.flatMap((operation) => operation['x-examples']);

it('is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  const result = await validator.validate(
    z.record(z.string(), z.unknown()).parse(JSON.parse(text)),
  );
  expect(result.errors ?? []).toEqual([]);
  expect(result.valid).toBe(true);
  expect(validator.version).toBe('3.1');
});

it('refers only to what it holds, and holds nothing that is not referred to', () => {
  const ids = Object.keys(document.components.schemas);
  const referred = new Set([...text.matchAll(/"#\/([^"]+)"/g)].map(([, path]) => path));
  expect([...referred].sort()).toEqual(ids.map((id) => `components/schemas/${id}`).sort());
});

it('carries 64-bit numbers as strings', () => {
  const { Revision, Position } = document.components.schemas;
  expect([Revision, Position]).toMatchObject([{ type: 'string' }, { type: 'string' }]);
});

it('names each operation and each example once', () => {
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const names = examples.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

it('sends before an example only what is there, and in an order that works', () => {
  const known = new Map(examples.map((example) => [example.name, example]));
  for (const { given } of examples) {
    given.forEach((name, index) => {
      const earlier = given.slice(0, index);
      expect(known.get(name)?.given.filter((each) => !earlier.includes(each))).toEqual([]);
    });
  }
});

it('shows every error that a request alone can cause', () => {
  const names = new Set(examples.map(({ name }) => name));
  const shown = new Set(
    [
      ...text.matchAll(
        /"([\w-]+)":\{"summary":"[^"]+","value":\{"type":"urn:planlog:problem:(\w+)"/g,
      ),
    ]
      .filter(([, name = '']) => names.has(name))
      .map(([, , code]) => code),
  );
  const notShown = Object.keys(PROBLEM_KINDS).filter((code) => !shown.has(code));
  expect(notShown.sort()).toEqual([
    // The tokens' issuer would have to be away.
    'auth_unavailable',
    // It would take a megabyte, a slow client, 16 KiB of header, or an Expect.
    'body_too_large',
    'contended',
    'expectation_failed',
    // A rebuild would have to be under way.
    'generation_not_ready',
    'headers_too_large',
    'internal_error',
    'not_ready',
    'outcome_unknown',
    'overloaded',
    // No route has them yet.
    'rate_limited',
    'request_timeout',
    'session_parked',
    'session_unreadable',
    'store_unavailable',
    'unauthenticated',
  ]);
});

describe.each(operations.map((operation) => [operation.operationId, operation] as const))(
  '%s',
  (_id, operation) => {
    it('has an example of every answer that is no error', () => {
      const statuses = new Set(operation['x-examples'].map(({ status }) => String(status)));
      const answers = Object.keys(operation.responses).filter((status) => status < '400');
      expect(answers.filter((status) => !statuses.has(status))).toEqual([]);
    });

    it('documents the status of every example', () => {
      for (const { status } of operation['x-examples']) {
        expect(operation.responses).toHaveProperty(String(status));
      }
    });

    it('has parameters for its path, each with a schema that its examples fit', () => {
      const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = operation.parameters.filter((parameter) => parameter.in === 'path');
      expect(declared.map(({ name }) => name)).toEqual(inPath);
      for (const { schema, examples: values = {} } of operation.parameters) {
        for (const { value } of Object.values(values)) {
          expect(schemas.faults(schema, value)).toEqual([]);
        }
      }
    });

    it('accepts the bodies of examples that are accepted', () => {
      const body = operation.requestBody?.content['application/json'];
      for (const { request, status } of operation['x-examples']) {
        if (request.body === undefined || status >= 400) continue;
        expect(schemas.faults(body?.schema ?? false, request.body)).toEqual([]);
      }
    });

    it('has examples that fit the schema of their answer', () => {
      for (const { content = {} } of Object.values(operation.responses)) {
        for (const [type, { schema, examples: values = {} }] of Object.entries(content)) {
          for (const { value } of Object.values(values)) {
            expect(schemas.faults(schema, value)).toEqual([]);
          }
          expect([type, Object.keys(values).length > 0]).toEqual([type, true]);
        }
      }
    });
  },
);
