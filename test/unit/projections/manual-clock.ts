/** A clock that stands still until a test moves it. */
import type { Clock } from '../../../src/projections/runtime/clock.js';

interface Timer {
  readonly due: number;
  readonly run: () => void;
}

export class ManualClock implements Clock {
  #now = Date.UTC(2026, 10, 30);
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { due: this.#now + ms, run };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  /** How many timers have not run and were not cancelled. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Milliseconds until the next timer; undefined where there is none. */
  get nextIn(): number | undefined {
    const due = Math.min(...[...this.#timers].map((timer) => timer.due));
    return Number.isFinite(due) ? due - this.#now : undefined;
  }

  /** Moves time on and runs what is due, in its order. */
  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const due = [...this.#timers].filter((timer) => timer.due <= until);
      const next = due.sort((a, b) => a.due - b.due)[0];
      if (!next) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.due);
      next.run();
    }
    this.#now = until;
  }
}
