/** Time as the runtime sees it, so that tests need not wait for it. */
import { Observable } from 'rxjs';

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Runs something later, once.
   *
   * @returns cancels it
   */
  after(ms: number, run: () => void): () => void;
}

/** The real one. Its timers never keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => {
      clearTimeout(timer);
    };
  },
};

/** Emits once after `ms` milliseconds, then completes. */
export function wait(clock: Clock, ms: number): Observable<void> {
  return new Observable((subscriber) =>
    clock.after(ms, () => {
      subscriber.next();
      subscriber.complete();
    }),
  );
}
