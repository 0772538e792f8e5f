/** Positions as text and in order. */
import {
  comparePositions,
  formatPosition,
  laterPosition,
  LOG_START,
  parsePosition,
  positionOf,
} from '../../../../src/events/log/position.js';

describe('a position', () => {
  it.each([
    [positionOf(0n), '0'],
    [positionOf(2n ** 53n + 1n), '9007199254740993'],
    [{ commit: 7n, prepare: 3n }, '7-3'],
    [positionOf(2n ** 64n - 1n), '18446744073709551615'],
  ])('round-trips as text: %s', (position, text) => {
    expect(formatPosition(position)).toBe(text);
    expect(parsePosition(text)).toEqual(position);
  });

  it.each(['', ' 1', '1 ', '01', '-1', '1-', '1-2-3', '1.0', '0x1', '18446744073709551616', 'x'])(
    'is not %j',
    (text) => {
      expect(parsePosition(text)).toBeUndefined();
    },
  );

  it('is ordered by commit, then prepare (faults.md C 1)', () => {
    const ordered = [LOG_START, { commit: 5n, prepare: 4n }, positionOf(5n), positionOf(6n)];
    for (const [i, a] of ordered.entries()) {
      for (const [j, b] of ordered.entries()) {
        expect(Math.sign(comparePositions(a, b))).toBe(Math.sign(i - j));
        expect(laterPosition(a, b)).toEqual(ordered[Math.max(i, j)]);
      }
    }
  });
});
