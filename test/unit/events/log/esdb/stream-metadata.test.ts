/** Where a stream begins, in metadata that holds other things too. */
import { withTruncateBefore } from '../../../../../src/events/log/esdb/stream-metadata.js';

describe('metadata of a truncated stream', () => {
  it.each([
    [undefined, { $tb: 5 }],
    ['{}', { $tb: 5 }],
    ['{"$tb":4,"$maxAge":9}', { $tb: 5, $maxAge: 9 }],
    [
      '{"$acl":{"$r":["a"]},"own":[1.5,"9007199254740993"]}',
      { $tb: 5, $acl: { $r: ['a'] }, own: [1.5, '9007199254740993'] },
    ],
    [
      '{"__proto__":1,"a":"{\\"$tb\\":9223372036854775807}"}',
      { $tb: 5, a: '{"$tb":9223372036854775807}' },
    ],
  ])('%s', (text, expected) => {
    const metadata = withTruncateBefore(text, 5n);
    expect(metadata.kind === 'write' && metadata.data).toMatchObject(expected);
  });

  it.each(['{"$tb":5}', '{"$tb":6,"x":1}', '{"$tb":9223372036854775807}'])(
    'is done: %s, and a soft delete is never lowered',
    (text) => {
      expect(withTruncateBefore(text, 5n)).toEqual({ kind: 'done' });
    },
  );

  it.each([
    '[]',
    'null',
    'not json',
    '{"own":9223372036854775807}',
    '{"own":12345678901234567890}',
  ])('is never written rounded or over something else: %s', (text) => {
    expect(withTruncateBefore(text, 5n)).toMatchObject({ kind: 'impossible' });
  });

  it('does not round the revision', () => {
    expect(withTruncateBefore(undefined, 2n ** 60n)).toMatchObject({ kind: 'impossible' });
  });
});
