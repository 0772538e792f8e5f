/**
 * Keeps pulls that wait at the end of the log from falling behind it. A server tells a filtered
 * subscription only every so many events that it has passed over others; somebody who waits for
 * the pull to reach the head (a shutdown, a promotion) would wait for a long time.
 */
import { UnavailableError } from '../errors.js';
import type { Position } from '../position.js';

export interface WaitingPull {
  isIdle(silenceMs: number): boolean;
  headIs(head: Position): void;
}

export class HeadWatch {
  readonly #pulls = new Set<WaitingPull>();
  readonly #head: () => Promise<Position>;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(head: () => Promise<Position>, everyMs: number) {
    this.#head = head;
    this.#everyMs = everyMs;
  }

  add(pull: WaitingPull): void {
    this.#pulls.add(pull);
    this.#schedule();
  }

  remove(pull: WaitingPull): void {
    this.#pulls.delete(pull);
    if (this.#pulls.size === 0) this.#cancel();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #schedule(): void {
    if (this.#stopped || this.#timer || this.#pulls.size === 0) return;
    this.#timer = setTimeout(() => {
      void this.#look();
    }, this.#everyMs);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const idle = [...this.#pulls].filter((pull) => pull.isIdle(this.#everyMs));
    if (idle.length > 0) {
      try {
        const head = await this.#head();
        // What came meanwhile is newer than the answer.
        for (const pull of idle) if (pull.isIdle(this.#everyMs)) pull.headIs(head);
      } catch (error) {
        // An unreachable log is for the pull itself to report.
        if (!(error instanceof UnavailableError)) throw error;
      }
    }
    this.#timer = undefined;
    this.#schedule();
  }
}
