/** The forms of headers that callers are told of are those that the API reads. */
import {
  ifMatchSchema,
  lastEventIdSchema,
  traceparentSchema,
} from '../../../src/api/request/header.schemas.js';
import { parseIfMatch, parseVersion } from '../../../src/api/request/entity-tags.js';
import { positionSchema } from '../../../src/api/request/scalar.schemas.js';
import { formatPosition, parsePosition } from '../../../src/events/log/position.js';

it.each(['*', '"0"', '"12"', 'W/"12.1"', '"1", "2"', '"1","2.3" , W/"4"', '"9223372036854775807"'])(
  'If-Match %s is read and documented',
  (header) => {
    expect(ifMatchSchema.safeParse(header).success).toBe(true);
    expect(parseIfMatch(header)).toBeDefined();
  },
);

it.each(['', '12', '"a"', '"01"', '"1" "2"', '"1.01"', '*, "1"', 'w/"1"', '"-1"'])(
  'If-Match %s is neither',
  (header) => {
    expect(ifMatchSchema.safeParse(header).success).toBe(false);
    expect(() => parseIfMatch(header)).toThrow();
  },
);

it.each(['0', '12', '12.0', '12.1', '01', '1.', '.1', '-1', 'x', '', '"1"'])(
  'Last-Event-ID %s is documented where it is read',
  (id) => {
    expect(lastEventIdSchema.safeParse(id).success).toBe(parseVersion(id) !== undefined);
  },
);

it.each(['0', '12', '12-11', '18446744073709551615'])(
  'position %s is read and documented',
  (text) => {
    expect(positionSchema.safeParse(text).success).toBe(true);
    const position = parsePosition(text);
    expect(position && formatPosition(position)).toBe(text);
  },
);

it('traceparent is documented as W3C writes it', () => {
  const header = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  expect(traceparentSchema.safeParse(header).success).toBe(true);
});
