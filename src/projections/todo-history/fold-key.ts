/** Contents that differ only in case or in their Unicode form are one item under a new name. */

/** The common text needs no Unicode tables. */
const ASCII = /^[\0-\x7f]*$/;
const DOTLESS_I = 'ı';

/**
 * Equal keys mean: equal after NFC and full case folding. The key itself is no text to show.
 *
 * JavaScript has no case folding, but the upper case of the lower case draws the same line: ß
 * and ẞ become SS, every sigma Σ, the Kelvin sign K. The order matters (ẞ alone is its own
 * upper case), and so does the end: the lower case of a Σ depends on its neighbours, upper case
 * on nothing. The one exception is the dotless ı, whose upper case is I though it folds to
 * itself. No locale plays a part.
 */
export function foldKey(content: string): string {
  if (ASCII.test(content)) return content.toUpperCase();
  // Decomposed first: folding a composed letter and its parts must give the same.
  const lower = content.normalize('NFD').toLowerCase();
  const upper = lower.split(DOTLESS_I).map((part) => part.toUpperCase());
  return upper.join(DOTLESS_I).normalize('NFC');
}
