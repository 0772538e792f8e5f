/** The document as a client reads it, and its schemas compiled. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { z } from 'zod';

const schema = z.union([z.boolean(), z.record(z.string(), z.unknown())]);
const examples = z.record(z.string(), z.object({ summary: z.string(), value: z.unknown() }));
const mediaType = z.object({
  schema,
  examples: examples.optional(),
  'x-events': z.record(z.string(), schema).optional(),
});

const responseSchema = z.object({
  description: z.string(),
  headers: z.record(z.string(), z.object({ required: z.boolean(), schema })),
  content: z.record(z.string(), mediaType).optional(),
});

export const exampleSchema = z.object({
  name: z.string(),
  summary: z.string(),
  given: z.array(z.string()),
  setting: z.literal('parked-session').optional(),
  request: z.object({
    path: z.record(z.string(), z.string()).default({}),
    query: z.record(z.string(), z.string()).default({}),
    headers: z.record(z.string(), z.string()).default({}),
    body: z.unknown().optional(),
  }),
  status: z.int(),
});

const operationSchema = z.object({
  operationId: z.string(),
  parameters: z
    .array(
      z.object({
        name: z.string(),
        in: z.enum(['path', 'query', 'header']),
        required: z.boolean(),
        description: z.string().min(1),
        schema,
        examples: examples.optional(),
      }),
    )
    .default([]),
  requestBody: z
    .object({
      required: z.boolean(),
      content: z.object({ 'application/json': mediaType }),
    })
    .optional(),
  responses: z.record(z.string(), responseSchema),
  'x-examples': z.array(exampleSchema).min(1),
});

export const documentSchema = z.object({
  openapi: z.literal('3.1.1'),
  info: z.object({ title: z.string(), version: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
  components: z.object({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
});

export type ApiDocument = z.infer<typeof documentSchema>;
export type ApiResponse = z.infer<typeof responseSchema>;
export type ApiExample = z.infer<typeof exampleSchema>;
type Schema = z.infer<typeof schema>;

export interface ApiOperation extends z.infer<typeof operationSchema> {
  readonly path: string;
  readonly method: string;
}

export function operationsOf(document: ApiDocument): ApiOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method })),
  );
}

const ID = 'https://planlog.invalid/openapi.json';

/** Compiles schemas of the document; what they refer to is looked up in it. */
export class DocumentSchemas {
  // `strictTypes` and `strictRequired` would have each `allOf` repeat itself.
  private readonly ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allErrors: true,
  });

  constructor({ components }: ApiDocument) {
    formats.default(this.ajv);
    this.ajv.addSchema({ ...referTo(components), $id: ID });
  }

  /** What is wrong with the value; empty where nothing is. */
  faults(schema: Schema, value: unknown): string[] {
    const validate = this.compile(schema);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message }) => `${instancePath} ${message ?? ''}`,
    );
  }

  private compile(schema: Schema): ValidateFunction {
    if (typeof schema === 'boolean') return this.ajv.compile(schema);
    return this.ajv.compile(referTo(schema));
  }
}

/** References become those of JSON Schema, which has no components. */
function referTo(part: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(part)
    .replaceAll('"#/components/schemas/', `"${ID}#/$defs/`)
    .replace(/^\{"schemas":/, '{"$defs":');
  return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
}
