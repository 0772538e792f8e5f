/** zod schemas as parts of the document. */
import { z } from 'zod';
import { SchemaComponents } from '../../../src/api/openapi/schema-components.js';

it('makes a component of what has an id, and refers to it', () => {
  const components = new SchemaComponents();
  const part = z.strictObject({ a: z.string() }).meta({ id: 'TestPart' });
  const converted = components.convert(z.strictObject({ parts: z.array(part) }), 'request');
  expect(converted).toEqual({
    type: 'object',
    properties: { parts: { type: 'array', items: { $ref: '#/components/schemas/TestPart' } } },
    required: ['parts'],
    additionalProperties: false,
  });
  expect(components.all()).toEqual({
    TestPart: {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    },
  });
});

it('leaves answers open to new fields', () => {
  const schema = z.strictObject({ a: z.string() });
  expect(new SchemaComponents().convert(schema, 'answer')).not.toHaveProperty(
    'additionalProperties',
  );
});

it('shows a number that comes as text as a number, with its default', () => {
  const schema = z.string().transform(Number).pipe(z.int().min(0).max(9)).default(5);
  expect(new SchemaComponents().convert(schema, 'request')).toEqual({
    type: 'integer',
    minimum: 0,
    maximum: 9,
    default: 5,
  });
});

it('refuses two schemas of one id', () => {
  const components = new SchemaComponents();
  const schema = z.strictObject({ a: z.string() }).meta({ id: 'TestTwice' });
  components.convert(schema, 'request');
  expect(() => components.convert(schema, 'answer')).toThrow('two schemas have the id TestTwice');
});
