/** Time and chance as the runtime uses them, so that a test can own both. */
import { setTimeout as delay } from 'node:timers/promises';

export interface Timing {
  /** Monotonic milliseconds. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
  /** At least 0 and less than 1. */
  random(): number;
}

export const realTiming: Timing = {
  now: () => performance.now(),
  sleep: (milliseconds) => delay(milliseconds),
  random: Math.random,
};

/** Exponential backoff with full jitter: 0 up to `base` doubled per attempt, at most `cap`. */
export function backoff(timing: Timing, attempt: number, base: number, cap: number): Promise<void> {
  return timing.sleep(timing.random() * Math.min(cap, base * 2 ** attempt));
}
