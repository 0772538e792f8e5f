/** Full case folding and NFC, whatever the machine's locale. */
import { foldKey } from '../../../src/projections/todo-history/fold-key.js';

const same = (a: string, b: string): boolean => foldKey(a) === foldKey(b);

describe('foldKey', () => {
  it.each([
    ['ASCII', 'Fix BUG', 'fix bug'],
    ['sharp s and SS', 'straße', 'STRASSE'],
    ['sharp s and ss', 'straße', 'strasse'],
    ['capital sharp s', 'STRAẞE', 'straße'],
    ['a sigma at the end of a word', 'ΟΔΟΣ', 'οδος'],
    ['a sigma that is not where it belongs', 'οδοσ', 'οδος'],
    ['a sigma whose neighbours differ in case', 'ΑΣ Β', 'ας β'],
    ['NFC and NFD', 'Caf\u00e9', 'CAFE\u0301'],
    ['two marks in another order', 'a\u0323\u0307', 'A\u0307\u0323'],
    ['dotted capital I and its parts', '\u0130zmir', 'I\u0307zmir'],
    ['dotted capital I, folded', '\u0130zmir', 'i\u0307zmir'],
    ['a ligature', 'ﬁx', 'FIX'],
    ['the Kelvin sign', '\u212a', 'k'],
    ['long s', 'ſo', 'SO'],
    ['iota subscript, as one letter and as two', '\u1fb3', 'ΑΙ'],
    ['iota subscript under another mark', '\u1fb3\u0313', '\u1f00\u0345'],
    [
      'iota subscript that NFC would take from under a mark',
      '\u03b1\u0310\u0345',
      '\u0391\u0310\u0399',
    ],
    ['letters beyond the first plane', '\u{10400}', '\u{10428}'],
    ['Cherokee', '\u13a0', '\uab70'],
  ])('holds equal: %s', (_, a, b) => {
    expect(a).not.toBe(b);
    expect(same(a, b)).toBe(true);
  });

  it.each([
    ['dotless and dotted i', 'ı', 'i'],
    ['dotless i and capital I', 'kapı', 'KAPI'],
    ['dotted capital I and i', '\u0130', 'i'],
    ['an accent', 'café', 'cafe'],
    ['compatibility forms', 'x²', 'x2'],
    ['a full-width letter', 'Ａ', 'a'],
    ['white space', 'fix  bug', 'fix bug'],
    ['no text and some', '', 'a'],
  ])('keeps apart: %s', (_, a, b) => {
    expect(same(a, b)).toBe(false);
  });

  it('ignores the locale, as Unicode does', () => {
    expect('I'.toLocaleLowerCase('tr')).toBe('ı');
    expect(same('FIX', 'fix')).toBe(true);
  });

  it('agrees with simple case folding wherever a letter has one letter as its other case', () => {
    const apart: string[] = [];
    let compared = 0;
    for (let code = 0; code <= 0x10ffff; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const letter = String.fromCodePoint(code);
      for (const other of [letter.toLowerCase(), letter.toUpperCase()]) {
        if (other === letter || other !== String.fromCodePoint(other.codePointAt(0) ?? 0)) continue;
        compared += 1;
        const hex = code.toString(16);
        // With both flags a regular expression folds case by Unicode's own table.
        const folded = new RegExp(`^\\u{${hex}}$`, 'iu').test(other);
        if (same(letter, other) !== folded) apart.push(hex);
      }
    }
    expect(compared).toBeGreaterThan(2_000);
    expect(apart).toEqual([]);
  });
});
