/**
 * A pull over the embedded log: pages until the head, then batches as they commit. It holds
 * nothing but its position, so it is never ahead of its reader.
 */
import { UnavailableError } from '../errors.js';
import type { EventPuller, PulledBatch, PullOptions } from '../event-log.js';
import { positionOf } from '../position.js';
import type { LogPage, PageBounds } from './log-pages.js';

/** Where a puller gets its pages. */
export interface PullSource {
  /** @throws {UnavailableError} */
  page(after: bigint, prefix: string, bounds: PageBounds): LogPage;
  /**
   * Resolves once something was stored after the position, at once if it is so already, and
   * when the signal is aborted.
   *
   * @throws {UnavailableError}
   */
  storedAfter(position: bigint, signal: AbortSignal): Promise<void>;
}

const DEFAULT_BOUNDS: PageBounds = { maxEvents: 500, maxBytes: 4 * 1024 * 1024 };

export class LogPuller implements EventPuller {
  readonly #source: PullSource;
  readonly #prefix: string;
  readonly #bounds: PageBounds;
  readonly #onClose: (puller: LogPuller) => void;
  readonly #closed = new AbortController();
  #after: bigint;
  #live = false;
  #busy = false;

  constructor(source: PullSource, options: PullOptions, onClose: (puller: LogPuller) => void) {
    this.#source = source;
    this.#prefix = options.prefix;
    this.#after = options.after.commit;
    this.#bounds = {
      maxEvents: Math.max(1, options.maxEvents ?? DEFAULT_BOUNDS.maxEvents),
      maxBytes: options.maxBytes ?? DEFAULT_BOUNDS.maxBytes,
    };
    this.#onClose = onClose;
  }

  /** Up to here it has handed everything out. */
  get after(): bigint {
    return this.#after;
  }

  async next(): Promise<PulledBatch | undefined> {
    if (this.#isClosed()) return undefined;
    if (this.#busy) throw new TypeError('next() was called before the last call had settled');
    this.#busy = true;
    try {
      // Reading is synchronous: without a turn of the event loop a long replay would starve
      // timers and requests.
      if (this.#live) await this.#source.storedAfter(this.#after, this.#closed.signal);
      else await new Promise(setImmediate);
      if (this.#isClosed()) return undefined;
      const page = this.#source.page(this.#after, this.#prefix, this.#bounds);
      this.#after = page.checkpoint;
      this.#live = page.end;
      return {
        events: page.events,
        checkpoint: positionOf(page.checkpoint),
        caughtUp: page.end,
      };
    } finally {
      this.#busy = false;
    }
  }

  #isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  close(): Promise<void> {
    if (!this.#isClosed()) {
      this.#closed.abort();
      this.#onClose(this);
    }
    return Promise.resolve();
  }
}

/** Those who wait for the log to grow. */
export class GrowthWaiters {
  readonly #waiting = new Set<{ after: bigint; resolve(): void; reject(error: Error): void }>();

  wait(after: bigint, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (then: () => void) => (): void => {
        this.#waiting.delete(waiter);
        signal.removeEventListener('abort', waiter.resolve);
        then();
      };
      const waiter = {
        after,
        resolve: settle(resolve),
        reject: (error: Error): void => {
          settle(() => {
            reject(error);
          })();
        },
      };
      this.#waiting.add(waiter);
      signal.addEventListener('abort', waiter.resolve);
      if (signal.aborted) waiter.resolve();
    });
  }

  grownTo(head: bigint): void {
    for (const waiter of this.#waiting) if (waiter.after < head) waiter.resolve();
  }

  fail(error: UnavailableError): void {
    for (const waiter of this.#waiting) waiter.reject(error);
  }
}
