/**
 * The expected revision of a request, which each message names in its own way.
 */
import type { ExpectedRevision } from '../store/append-decision.js';

/** What appends, deletes and tombstones have in common. Absent means any revision. */
interface ExpectsRevision {
  hasNoStream(): boolean;
  hasStreamExists(): boolean;
  hasRevision(): boolean;
  getRevision(): string;
}

/** Batch appends call it a position. */
interface ExpectsPosition {
  hasNoStream(): boolean;
  hasStreamExists(): boolean;
  hasStreamPosition(): boolean;
  getStreamPosition(): string;
}

export function expectedRevision(options: ExpectsRevision): ExpectedRevision {
  if (options.hasRevision()) return BigInt(options.getRevision());
  return expectedState(options);
}

export function expectedPosition(options: ExpectsPosition): ExpectedRevision {
  if (options.hasStreamPosition()) return BigInt(options.getStreamPosition());
  return expectedState(options);
}

/** As the server's own numbers, which delete errors show. */
export function expectedNumber(expected: ExpectedRevision): bigint {
  if (expected === 'any') return -2n;
  if (expected === 'no_stream') return -1n;
  return expected === 'stream_exists' ? -4n : expected;
}

function expectedState(options: {
  hasNoStream(): boolean;
  hasStreamExists(): boolean;
}): ExpectedRevision {
  if (options.hasNoStream()) return 'no_stream';
  return options.hasStreamExists() ? 'stream_exists' : 'any';
}
