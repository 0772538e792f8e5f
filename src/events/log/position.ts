/**
 * A position in the whole log: opaque to callers, ordered, and carried as a string.
 *
 * It keeps both numbers a store may have. Reusing the commit position as the prepare
 * position loses an event on resume (faults.md C 1). It is an object, not a bigint, so that
 * a stream revision can never be passed where a position is meant (faults.md C 26).
 */
export interface Position {
  readonly commit: bigint;
  readonly prepare: bigint;
}

/** Positions are 64-bit in every supported store. */
const MAX = 2n ** 64n - 1n;
const TEXT = /^(0|[1-9][0-9]{0,19})(?:-(0|[1-9][0-9]{0,19}))?$/;

/** Before every event. Reading from here, exclusively, reads the whole log. */
export const LOG_START: Position = Object.freeze({ commit: 0n, prepare: 0n });

/** The position of a store that has one number. */
export function positionOf(sequence: bigint): Position {
  return { commit: sequence, prepare: sequence };
}

/** Negative when `a` is before `b`, zero when they are equal, positive when it is after. */
export function comparePositions(a: Position, b: Position): number {
  if (a.commit !== b.commit) return a.commit < b.commit ? -1 : 1;
  if (a.prepare !== b.prepare) return a.prepare < b.prepare ? -1 : 1;
  return 0;
}

/** The later of two positions. */
export function laterPosition(a: Position, b: Position): Position {
  return comparePositions(a, b) >= 0 ? a : b;
}

/** `"<commit>"`, or `"<commit>-<prepare>"` where the two differ. */
export function formatPosition(position: Position): string {
  return position.commit === position.prepare
    ? position.commit.toString()
    : `${position.commit.toString()}-${position.prepare.toString()}`;
}

/** The position a string stands for, or undefined when it is not one. */
export function parsePosition(text: string): Position | undefined {
  const match = TEXT.exec(text);
  if (match?.[1] === undefined) return undefined;
  const commit = BigInt(match[1]);
  const prepare = match[2] === undefined ? commit : BigInt(match[2]);
  return commit > MAX || prepare > MAX ? undefined : { commit, prepare };
}
