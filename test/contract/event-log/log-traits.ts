/** In what ways a log may differ and still keep the contract. */
import { comparePositions, type Position } from '../../../src/events/log/position.js';

export interface LogTraits {
  /** Others write to the log too, if only the server itself: its head and the checkpoints of a
   * pull may lie beyond what the test wrote. */
  readonly shared: boolean;
  /** Truncated events are hidden, not gone: until the server scavenges them a pull shows them
   * and an append that repeats them is known. */
  readonly pullsTruncated: boolean;
  /** A pull hands out what has arrived, not as much as a batch can hold. */
  readonly eager: boolean;
  /** What the server counts of an event beside what the port counts, at the most. */
  readonly uncountedBytes: number;
}

/** A log that nobody else writes to. */
export const EXCLUSIVE: LogTraits = {
  shared: false,
  pullsTruncated: false,
  eager: false,
  uncountedBytes: 0,
};

/** A server that may have other users. */
export const SERVER: LogTraits = {
  shared: true,
  pullsTruncated: true,
  eager: true,
  // Since 24.10.4 the type counts as UTF-16.
  uncountedBytes: 64,
};

/** A head or a checkpoint is exactly there, or beyond on a log that others write to. */
export function expectReached(
  { shared }: LogTraits,
  actual: Position | undefined,
  expected: Position,
): void {
  if (!shared) expect(actual).toEqual(expected);
  else if (actual === undefined) expect(actual).toBeDefined();
  else expect(comparePositions(actual, expected)).toBeGreaterThanOrEqual(0);
}
