/**
 * The rules about an item's text (design, section 1). They apply when a write is decided and
 * never to what is already stored.
 */

/** What makes text blank for a person: white space, format characters (zero-width and bidi
 * marks among them), fillers and other default-ignorables, and the blank Braille cell. */
const VISIBLE = /[^\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** With the `u` flag this matches only surrogates that have no partner. */
const LONE_SURROGATE = /\p{Surrogate}/u;
// Control characters are what the rule is about.
const CONTROL = /[^\P{Cc}\n\t]/u;
/** Printable ASCII with no space at either end: it is stored as it is, and NFC leaves it alone. */
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** A content as it is stored, or what is wrong with it. */
export type ContentResult =
  | { readonly ok: true; readonly content: string }
  | { readonly ok: false; readonly message: string };

/** CRLF becomes LF, white space at both ends goes, then the text is checked. */
export function normaliseContent(raw: string): ContentResult {
  if (isPlain(raw)) return { ok: true, content: raw };
  const content = raw.replaceAll('\r\n', '\n').trim();
  if (LONE_SURROGATE.test(content)) {
    return fault('must be well-formed Unicode: it holds half of a surrogate pair');
  }
  if (CONTROL.test(content)) {
    return fault('must hold no control character but line feed and tab');
  }
  return VISIBLE.test(content) ? { ok: true, content } : BLANK;
}

const BLANK: ContentResult = fault('must have at least one visible character');

function fault(message: string): ContentResult {
  return { ok: false, message };
}

/** Nearly every content is, and needs no further look. */
export function isPlain(content: string): boolean {
  return PLAIN.test(content);
}

/** Two contents with the same key are the same item: compared after NFC. */
export function contentKey(content: string): string {
  return content.normalize('NFC');
}

/** Unicode code points, not UTF-16 units: an emoji is not cut in half by a limit. */
export function codePointLength(text: string): number {
  return text.length - (text.match(/[\u{10000}-\u{10FFFF}]/gu)?.length ?? 0);
}
