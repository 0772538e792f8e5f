/**
 * Lets a busy log's events gather, so that a commit carries several. A batch that comes alone is
 * handled at once; one that follows another closely waits until a few milliseconds have passed
 * since that, or until somebody waits for it.
 */
import type { Clock } from './clock.js';

export class Gathering {
  #until = 0;
  #end: (() => void) | undefined;

  /** @param ms how long after a commit the next one may wait, milliseconds; 0: never */
  constructor(
    private readonly clock: Clock,
    private readonly ms: number,
  ) {}

  /** A batch was committed. */
  begin(): void {
    if (this.ms > 0) this.#until = this.clock.now() + this.ms;
  }

  /** Somebody waits for what comes next. */
  end(): void {
    this.#until = 0;
    this.#end?.();
  }

  /** Resolves when it is over; undefined where there is nothing to wait for. */
  over(): Promise<void> | undefined {
    if (this.#until === 0) return undefined;
    // A clock that was set back must not make it longer.
    const left = Math.min(this.ms, this.#until - this.clock.now());
    if (left <= 0) return undefined;
    return new Promise((resolve) => {
      const done = (): void => {
        this.#end = undefined;
        cancel();
        resolve();
      };
      const cancel = this.clock.after(left, done);
      this.#end = done;
    });
  }
}
