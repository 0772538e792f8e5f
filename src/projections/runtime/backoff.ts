/** How long to wait before trying again: exponential, with jitter so that many who lost one
 * server do not come back at once (faults.md C 46). */
export interface Backoff {
  /** The first wait, milliseconds. */
  readonly baseMs: number;
  /** No wait is longer, milliseconds. */
  readonly maxMs: number;
  /** From 0 to 1, evenly. */
  readonly random: () => number;
}

export const DEFAULT_BACKOFF: Backoff = { baseMs: 100, maxMs: 15_000, random: Math.random };

/**
 * @param failures how many attempts in a row have failed, from 1
 * @returns milliseconds: between half of the exponential step and all of it
 */
export function backoffDelay({ baseMs, maxMs, random }: Backoff, failures: number): number {
  const step = Math.min(maxMs, baseMs * 2 ** Math.min(failures - 1, 30));
  return step * (0.5 + random() / 2);
}
