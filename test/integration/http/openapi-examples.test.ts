/** Every example of the document, sent to a real server: it answers what the document says. */
import { buildDocument } from '../../../src/api/openapi/build-document.js';
import { OPERATIONS } from '../../../src/api/openapi/operations/operations.js';
import { problemSchema } from '../../../src/api/problem/problem.schemas.js';
import {
  DocumentSchemas,
  documentSchema,
  operationsOf,
  type ApiResponse,
} from '../../unit/openapi/api-document.js';
import { ExampleRun, type SentExample } from './openapi-example-run.js';

let run: ExampleRun;
let schemas: DocumentSchemas;
beforeAll(async () => {
  run = await ExampleRun.start();
  schemas = new DocumentSchemas(run.document);
});
afterAll(() => run.server.stop());

/** Headers that are part of the contract: none is sent that is not documented. */
const CONTRACT_HEADERS = [
  'Cache-Control',
  'Content-Security-Policy',
  'ETag',
  'Idempotency-Key',
  'Planlog-Change',
  'Planlog-Position',
  'Retry-After',
  'X-Accel-Buffering',
];

// As built here: what the server answers is compared with it below.
const built = documentSchema.parse(JSON.parse(JSON.stringify(buildDocument(OPERATIONS, '0'))));
const names = operationsOf(built).flatMap((operation) =>
  operation['x-examples'].map(({ name }) => [operation.operationId, name] as const),
);

it.each(names)('%s: %s', async (operationId, name) => {
  const { operation, example: sent } = run.find(name);
  const answer = await (OF_ALL_SESSIONS.has(operation.path) ? alone(name) : run.send(name));
  expect(answer).toMatchObject({ status: sent.status });
  const response = operation.responses[sent.status];
  if (response === undefined) throw new Error(`${sent.status} is not documented`);
  expectHeaders(answer, response.headers);

  const [documented] = Object.entries(response.content ?? {});
  if (documented === undefined) {
    expect(answer.body).toBeUndefined();
    return;
  }
  const [mediaType, { schema, examples = {} }] = documented;
  const type = answer.headers.get('content-type')?.split(';')[0];
  expect(mediaType === '*/*' ? '*/*' : type).toBe(mediaType);
  expect(schemas.faults(schema, answer.body)).toEqual([]);
  expectNoOtherFields(operationId, answer);
  const shown = examples[name]?.value;
  if (mediaType.includes('json') || mediaType === 'text/event-stream') {
    const [body, example] = [settled(answer.body), settled(shown)];
    // The document cannot show itself whole.
    if (operationId === 'openapi') expect({ body }).toMatchObject({ body: example });
    else expect(body).toEqual(example);
  }
});

/** These show every session there is: their examples have a server of their own. */
const OF_ALL_SESSIONS = new Set(['/v1/sessions', '/v1/sessions/events']);

async function alone(name: string): Promise<SentExample> {
  const own = await ExampleRun.start({ alone: true });
  try {
    return await own.send(name);
  } finally {
    await own.server.stop();
  }
}

it('has the very document that is built from the table', () => {
  const version = run.document.info.version;
  expect(JSON.stringify(run.document)).toBe(
    JSON.stringify(documentSchema.parse(buildDocument(OPERATIONS, version))),
  );
  expect(version).toMatch(/^\d+\.\d+\.\d+/);
});

function expectHeaders({ headers }: SentExample, documented: ApiResponse['headers']): void {
  for (const [name, { required, schema }] of Object.entries(documented)) {
    const value = headers.get(name);
    if (value !== null) expect([name, schemas.faults(schema, value)]).toEqual([name, []]);
    else expect([name, required]).toEqual([name, false]);
  }
  const sent = CONTRACT_HEADERS.filter((name) => headers.has(name));
  expect(sent.filter((name) => documented[name] === undefined)).toEqual([]);
}

/** The schemas of answers are strict here, where the document leaves room for later fields. */
function expectNoOtherFields(operationId: string, { status, body }: SentExample): void {
  const operation = OPERATIONS.find(({ id }) => id === operationId);
  const content = operation?.answers.find((answer) => answer.status === status)?.content;
  const schema = status < 400 ? content?.schema : problemSchema;
  expect(schema?.safeParse(body).error?.issues).toBeUndefined();
  if (content?.events === undefined) return;
  const [, event = '', data = ''] =
    /^event: (.*)\nid: .*\ndata: (.*)\n\n$/.exec(String(body)) ?? [];
  expect(content.events[event]?.safeParse(JSON.parse(data)).error?.issues).toBeUndefined();
}

/** Without what differs from run to run: positions, moments, and how changes are batched. */
function settled(body: unknown): unknown {
  const text = JSON.stringify(body)
    .replaceAll(/"generation":\d+/g, '"generation":"?"')
    .replaceAll(/"(checkpoint|events|percent)":(null|"?[\d.]+"?)/g, '"$1":"?"')
    // Which of the two depends on how fast it is built.
    .replaceAll('"state":"ready"', '"state":"cancelled"')
    .replaceAll(/"position":"\d+"/g, '"position":"?"')
    .replaceAll(/"(checkpoint|distance)":"\d+"/g, '"$1":"?"')
    // Examples share a server: how much there is depends on those before.
    .replaceAll(/"(events|parked|percent)":[\d.]+/g, '"$1":0')
    .replaceAll('"state":"catching-up"', '"state":"live"')
    .replaceAll(/"secondsBehind":\d+/g, '"secondsBehind":0')
    .replaceAll(/stalledForMs(\\?)":\d+/g, 'stalledForMs$1":0')
    .replaceAll(/event: session\\nid: \d+/g, 'event: session\\nid: ?')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'a moment');
  return JSON.parse(text);
}
