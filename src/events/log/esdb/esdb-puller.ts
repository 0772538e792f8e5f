/**
 * A pull over the log on EventStoreDB: hands out what its subscription has received, in
 * batches. What has arrived is handed out at once; while the reader is busy more arrives, so
 * a slow reader gets larger batches.
 */
import { UnavailableError } from '../errors.js';
import type { EventPuller, PulledBatch, PullOptions, StoredEvent } from '../event-log.js';
import { comparePositions, laterPosition, LOG_START, type Position } from '../position.js';
import { AllSubscription } from './all-subscription.js';
import type { LogClient } from './log-client.js';

export interface PullSource {
  client(): Promise<LogClient>;
  /** A subscription was confirmed, or is over. */
  subscription(confirmed: boolean, failure?: UnavailableError): void;
  absent(): void;
  closed(puller: EsdbPuller): void;
}

export class EsdbPuller implements EventPuller {
  readonly #source: PullSource;
  readonly #prefix: string;
  readonly #maxEvents: number;
  readonly #maxBytes: number;
  #subscription: AllSubscription | undefined;
  #checkpoint: Position;
  /** The server has said that nothing is left, and nothing has come since. */
  #live = false;
  #closed = false;
  #busy = false;
  #wake: (() => void) | undefined;
  #refreshedAt: Position | undefined;
  #heardAt = performance.now();
  #appended = LOG_START;

  constructor(source: PullSource, options: PullOptions) {
    this.#source = source;
    this.#prefix = options.prefix;
    this.#maxEvents = Math.max(1, options.maxEvents ?? 500);
    this.#maxBytes = options.maxBytes ?? 4 * 1024 * 1024;
    this.#checkpoint = options.after;
  }

  async next(): Promise<PulledBatch | undefined> {
    if (this.#busy) throw new TypeError('next() was called before the last call had settled');
    this.#busy = true;
    try {
      // Events that wait here would otherwise starve timers and requests.
      await new Promise(setImmediate);
      while (!this.#closed) {
        this.#subscription ??= await this.#subscribe();
        const batch = this.#batch();
        if (batch) return batch;
        const failure = this.#subscription?.failure;
        if (failure) {
          this.#source.subscription(false, failure);
          throw failure;
        }
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
      return undefined;
    } finally {
      this.#busy = false;
    }
  }

  close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.#subscription?.cancel();
      this.#source.closed(this);
      this.#wake?.();
    }
    return Promise.resolve();
  }

  /** Waits at the end of the log, and has heard nothing for this long. */
  isIdle(silenceMs: number): boolean {
    return this.#wake !== undefined && this.#live && performance.now() - this.#heardAt >= silenceMs;
  }

  /**
   * The log ends at `head`. A server tells a subscription that its filter has passed over
   * events only now and then, so whoever is behind asks anew, once for each end of the log.
   */
  headIs(head: Position): void {
    if (comparePositions(head, this.#checkpoint) <= 0) return;
    if (this.#refreshedAt && comparePositions(head, this.#refreshedAt) <= 0) return;
    this.#refreshedAt = head;
    // One at a time: the old one is over before the new one begins.
    this.#subscription?.cancel();
    this.#subscription = undefined;
    this.#wake?.();
  }

  async #subscribe(): Promise<AllSubscription | undefined> {
    const client = await this.#source.client();
    if (this.#closed) return undefined;
    this.#live = false;
    this.#heard();
    const subscription: AllSubscription = new AllSubscription(client, {
      prefix: this.#prefix,
      after: this.#checkpoint,
      maxEvents: this.#maxEvents,
      maxBytes: this.#maxBytes,
      onChange: () => {
        this.#heard();
        this.#wake?.();
      },
      onConfirmed: () => {
        this.#source.subscription(true);
      },
      onAbsent: () => {
        this.#source.absent();
      },
    });
    return subscription;
  }

  /** This process has appended to a stream, up to here. */
  appended(stream: string, position: Position): void {
    if (stream.startsWith(this.#prefix)) this.#appended = laterPosition(this.#appended, position);
  }

  #heard(): void {
    this.#heardAt = performance.now();
  }

  #batch(): PulledBatch | undefined {
    const subscription = this.#subscription;
    if (subscription === undefined) return undefined;
    const events: StoredEvent[] = [];
    const before = this.#checkpoint;
    let bytes = 0;
    let caughtUp = false;
    for (;;) {
      const item = subscription.peek();
      if (item === undefined) break;
      if (item.kind === 'event') {
        bytes += item.event.bytes;
        const full = events.length >= this.#maxEvents || bytes > this.#maxBytes;
        if (full && events.length > 0) break;
        events.push(item.event);
        this.#checkpoint = laterPosition(this.#checkpoint, item.event.position);
      } else if (item.kind === 'checkpoint') {
        this.#checkpoint = laterPosition(this.#checkpoint, item.position);
      } else {
        // It is repeated when a server had to catch up with itself.
        caughtUp ||= !this.#live;
        this.#live = true;
      }
      subscription.shift();
    }
    const moved = comparePositions(this.#checkpoint, before) > 0;
    if (events.length === 0 && !moved && !caughtUp) return undefined;
    const atEnd = this.#live && subscription.peek() === undefined;
    // A burst is not over where this process itself has appended more.
    const known = caughtUp || comparePositions(this.#checkpoint, this.#appended) >= 0;
    return { events, checkpoint: this.#checkpoint, caughtUp: atEnd && known };
  }
}
