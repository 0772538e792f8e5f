/**
 * Sets where a stream begins in its metadata, and leaves all else there as it was. What JSON
 * would round is not written back: `$tb` of a soft-deleted stream is the highest int64, and
 * rounded it does not fit one any more (eventstoredb.md 1.6).
 */
import { isJsonObject } from './json-object.js';

/** A number of more digits than a double has. */
const LONG_NUMBER = /^-?\d{16,}/;
const TRUNCATE_BEFORE = '$tb';

export type NewMetadata =
  | { readonly kind: 'write'; readonly data: Record<string, unknown> }
  /** It begins there already, or later. */
  | { readonly kind: 'done' }
  | { readonly kind: 'impossible'; readonly why: string };

/** @param text the stored metadata; undefined where there is none */
export function withTruncateBefore(text: string | undefined, before: bigint): NewMetadata {
  if (before > BigInt(Number.MAX_SAFE_INTEGER)) {
    return { kind: 'impossible', why: 'the revision is beyond what JSON can carry' };
  }
  if (text === undefined) return { kind: 'write', data: { [TRUNCATE_BEFORE]: Number(before) } };
  let metadata: unknown;
  try {
    metadata = JSON.parse(text);
  } catch {
    metadata = undefined;
  }
  if (!isJsonObject(metadata)) {
    return { kind: 'impossible', why: 'the metadata of the stream is not a JSON object' };
  }
  const current: unknown = metadata[TRUNCATE_BEFORE];
  if (typeof current === 'number' && current >= Number(before)) return { kind: 'done' };
  if (hasLongNumber(text)) {
    return { kind: 'impossible', why: 'the metadata holds a number that JSON would round' };
  }
  return { kind: 'write', data: { ...metadata, [TRUNCATE_BEFORE]: Number(before) } };
}

function hasLongNumber(text: string): boolean {
  const outside = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  return (outside.match(/-?\d[\d.eE+-]*/g) ?? []).some((number) => LONG_NUMBER.test(number));
}
