/**
 * The OpenAPI 3.1 document, from the table of operations and from the zod schemas that parse
 * requests and that tests hold answers against.
 */
import { bodyExamples, examplesOf, parameterExamples } from './examples-of.js';
import { toJson, type Json } from './json.js';
import { TAGS, type Answer, type Content, type Example, type Operation } from './operation.js';
import type { Parameter } from './parameters.js';
import { problemResponses } from './problem-responses.js';
import type { ResponseHeader } from './response-headers.js';
import { SchemaComponents } from './schema-components.js';

const ABOUT = `An AI agent's checklist, kept as events and served live.

Revisions and positions are strings: they are numbers of 64 bits. Errors are
\`application/problem+json\` (RFC 9457) with a stable \`code\`. Answers may get new fields: pass over
what you do not know. Every GET route also answers HEAD.

\`x-examples\` of an operation are whole requests: each can be sent as it stands, after those that it
names under \`given\`; one with a \`setting\` needs what no request can bring about.`;

const BEARER = 'bearer';
const BEARER_SCHEME = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description: 'Where no auth is configured no token is needed, and only this machine is answered.',
};

export function buildDocument(operations: readonly Operation[], version: string): Json {
  const builder = new DocumentBuilder();
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    (paths[operation.path] ??= {})[operation.method] = builder.operation(operation);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Planlog',
      version,
      description: ABOUT,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: builder.components.all(),
      securitySchemes: { [BEARER]: toJson(BEARER_SCHEME) },
    },
  };
}

class DocumentBuilder {
  readonly components = new SchemaComponents();

  operation(operation: Operation): Json {
    const { id, access, tag, summary, description, parameters, examples } = operation;
    return {
      operationId: id,
      tags: [tag],
      // Empty for no token; scopes of a scheme that is not OAuth are roles (OpenAPI 3.1, 4.8.30).
      security: access === 'open' ? [] : [{ [BEARER]: [access] }],
      summary,
      description,
      ...(parameters.length > 0 && {
        parameters: parameters.map((parameter) => this.parameter(parameter, examples)),
      }),
      ...this.requestBody(operation),
      responses: {
        ...Object.fromEntries(
          operation.answers.map((answer) => [answer.status, this.answer(answer, examples)]),
        ),
        ...problemResponses(operation, this.components, this.headers),
      },
      'x-examples': examples.map(
        ({ name, summary: about, given = [], setting, request = {}, response }) =>
          toJson({ name, summary: about, given, setting, request, status: response.status }),
      ),
    };
  }

  private parameter(parameter: Parameter, examples: readonly Example[]): Json {
    const { name, in: place, required, description, schema } = parameter;
    return {
      name,
      in: place,
      required,
      description,
      schema: this.components.convert(schema, 'request'),
      ...parameterExamples(parameter, examples),
    };
  }

  private requestBody({ body, examples }: Operation): { requestBody?: Json } {
    if (body === undefined) return {};
    const schema = this.components.convert(body.schema, 'request');
    return {
      requestBody: {
        required: body.required,
        content: { 'application/json': { schema, ...bodyExamples(examples) } },
      },
    };
  }

  private answer({ status, description, headers, content }: Answer, examples: readonly Example[]) {
    return {
      description,
      headers: this.headers(headers),
      ...(content && { content: this.content(content, examples, status) }),
    };
  }

  private content(content: Content, examples: readonly Example[], status: number): Json {
    const events = Object.entries(content.events ?? {}).map(([event, schema]): [string, Json] => [
      event,
      this.components.convert(schema, 'answer'),
    ]);
    return {
      [content.mediaType]: {
        schema: this.components.convert(content.schema, 'answer'),
        ...examplesOf(examples, status),
        ...(events.length > 0 && { 'x-events': Object.fromEntries(events) }),
      },
    };
  }

  private readonly headers = (headers: readonly ResponseHeader[]): Json =>
    Object.fromEntries(
      headers.map(({ name, description, required, schema }) => [
        name,
        { description, required, schema: this.components.convert(schema, 'answer') },
      ]),
    );
}
