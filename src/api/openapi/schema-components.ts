/** Turns zod schemas into JSON Schema 2020-12, those with an id into components. */
import { z } from 'zod';
import { toJson, type Json } from './json.js';

const DEFS = '"#/$defs/';
const COMPONENTS = '"#/components/schemas/';

/** What a schema describes: requests are strict, answers may get fields. */
export type Direction = 'request' | 'answer';

export class SchemaComponents {
  private readonly components = new Map<string, Json>();
  /** Most schemas are used by many routes, and converting one takes its time. */
  private readonly converted = {
    request: new Map<z.ZodType, Json>(),
    answer: new Map<z.ZodType, Json>(),
  };

  /** The schema in place, with references to those of its parts that have an id. */
  convert(schema: z.ZodType, direction: Direction): Json {
    const known = this.converted[direction].get(schema);
    if (known !== undefined) return known;
    const converted = this.convertOnce(schema, direction);
    this.converted[direction].set(schema, converted);
    return converted;
  }

  /** All components so far, by their id. */
  all(): Record<string, Json> {
    return Object.fromEntries([...this.components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private convertOnce(schema: z.ZodType, direction: Direction): Json {
    const {
      $schema,
      $defs = {},
      ...rest
    } = z.toJSONSchema(schema, {
      target: 'draft-2020-12',
      io: direction === 'request' && !parsesToNumber(schema) ? 'input' : 'output',
      override({ jsonSchema }) {
        // Who reads answers has to pass over fields that a later version adds.
        if (direction === 'answer') delete jsonSchema.additionalProperties;
      },
    });
    for (const [id, part] of Object.entries($defs)) this.add(id, referring(part));
    return referring(rest);
  }

  private add(id: string, part: Json): void {
    const known = this.components.get(id);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(part)) {
      throw new Error(`two schemas have the id ${id}`);
    }
    this.components.set(id, part);
  }
}

/** With references to components. */
function referring(part: object): Json {
  return toJson(JSON.parse(JSON.stringify(part).replaceAll(DEFS, COMPONENTS)));
}

/** Of a query's number, which comes as text, callers are told the number. */
function parsesToNumber(schema: z.ZodType): boolean {
  const inner = schema instanceof z.ZodDefault ? schema.unwrap() : schema;
  return inner instanceof z.ZodPipe && inner.out instanceof z.ZodNumber;
}
