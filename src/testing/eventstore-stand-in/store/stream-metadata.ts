/**
 * What a stream's metadata hides from its readers (`$tb`, `$maxCount`, `$maxAge`), read from the
 * bytes of the last `$metadata` event of its `$$` stream.
 */
import { SOFT_DELETED, TICKS_PER_MILLISECOND } from './record.js';
import type { StreamLog } from './stream-log.js';

export interface StreamMetadata {
  /** `$tb`: events below it are hidden. */
  readonly truncateBefore?: bigint;
  readonly maxCount?: bigint;
  readonly maxAgeSeconds?: bigint;
}

export const NO_METADATA: StreamMetadata = {};

/** The last representable double below 2^63: int64 max read through JSON.parse is above it. */
const LARGEST_EXACT = 9_223_372_036_854_774_784;

export function parseMetadata(bytes: Uint8Array): StreamMetadata {
  const value = parseObject(bytes);
  const truncateBefore = integer(value?.['$tb']);
  const maxCount = integer(value?.['$maxCount']);
  const maxAgeSeconds = integer(value?.['$maxAge']);
  return {
    ...(truncateBefore === undefined ? {} : { truncateBefore }),
    ...(maxCount === undefined ? {} : { maxCount }),
    ...(maxAgeSeconds === undefined ? {} : { maxAgeSeconds }),
  };
}

/** The first revision that a reader sees: the strictest of what is set. */
export function firstVisibleRevision(
  log: StreamLog,
  last: bigint,
  { truncateBefore = 0n, maxCount, maxAgeSeconds }: StreamMetadata,
  now: number,
): bigint {
  const borders = [log.firstRevision, truncateBefore];
  if (maxCount !== undefined) borders.push(last - maxCount + 1n);
  if (maxAgeSeconds !== undefined) {
    const oldest = BigInt(now) - maxAgeSeconds * 1000n;
    borders.push(log.firstCreatedSince(oldest * TICKS_PER_MILLISECOND));
  }
  return borders.reduce((strictest, border) => (border > strictest ? border : strictest));
}

/** The bytes of a soft delete's metadata: it replaces whatever was there, rights included. */
export function softDeleteMetadata(): Uint8Array {
  return Buffer.from(`{"$tb":${SOFT_DELETED}}`);
}

/** The same metadata with another `$tb`. Written as text: JSON has no integers of 64 bits. */
export function withTruncateBefore(bytes: Uint8Array, truncateBefore: bigint): Uint8Array {
  const { $tb: _replaced, ...rest } = parseObject(bytes) ?? {};
  const others = JSON.stringify(rest).slice(1);
  return Buffer.from(`{"$tb":${truncateBefore}${others === '}' ? '' : ','}${others}`);
}

function parseObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { ...value }
      : undefined;
  } catch {
    // Not JSON: a real server ignores such metadata too.
    return undefined;
  }
}

function integer(value: unknown): bigint | undefined {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) return undefined;
  return value > LARGEST_EXACT ? SOFT_DELETED : BigInt(value);
}
