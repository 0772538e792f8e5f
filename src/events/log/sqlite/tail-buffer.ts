/**
 * The events committed last, in memory, so that live pulls need not read the file. They are kept
 * until every pull has passed them, so that nearly all die young, where collecting garbage is
 * cheap. Bounded in count and bytes; who is further behind reads pages from the file.
 */
import type { StoredEvent } from '../event-log.js';
import type { LogPage, PageBounds } from './log-pages.js';

export class TailBuffer {
  #events: StoredEvent[] = [];
  /** Where the kept events begin in the array: dropping one must not move the others. */
  #start = 0;
  #bytes = 0;
  /** Every event after this is here. */
  #floor: bigint;
  #head: bigint;

  /** @param head the last position before anything is pushed */
  constructor(
    head: bigint,
    private readonly limit: PageBounds,
  ) {
    this.#floor = head;
    this.#head = head;
  }

  /** The last position that was pushed. */
  get head(): bigint {
    return this.#head;
  }

  /** Adds an event; positions must rise. */
  push(event: StoredEvent): void {
    this.#events.push(event);
    this.#bytes += event.bytes;
    this.#head = event.position.commit;
    while (
      this.#events.length - this.#start > this.limit.maxEvents ||
      this.#bytes > this.limit.maxBytes
    ) {
      this.#dropFirst();
    }
  }

  /** Forgets the events up to a position, which nobody will ask for again. */
  release(position: bigint): void {
    for (let first = this.#events[this.#start]; first; first = this.#events[this.#start]) {
      if (first.position.commit > position) return;
      this.#dropFirst();
    }
  }

  #dropFirst(): void {
    const first = this.#events[this.#start];
    if (first === undefined) return;
    this.#start += 1;
    this.#bytes -= first.bytes;
    this.#floor = first.position.commit;
    if (this.#start * 2 >= this.#events.length) {
      this.#events = this.#events.slice(this.#start);
      this.#start = 0;
    }
  }

  /** Forgets truncated events, so that a pull shows what the file would. */
  truncate(stream: string, before: bigint): void {
    const kept = this.#events
      .slice(this.#start)
      .filter((event) => event.stream !== stream || event.revision >= before);
    this.#events = kept;
    this.#start = 0;
    this.#bytes = kept.reduce((sum, event) => sum + event.bytes, 0);
  }

  /** The next events after a position, or undefined when they are not all here any more. */
  after(position: bigint, prefix: string, bounds: PageBounds): LogPage | undefined {
    if (position < this.#floor) return undefined;
    const events: StoredEvent[] = [];
    let checkpoint = position;
    let bytes = 0;
    for (let at = this.#firstAfter(position); at < this.#events.length; at += 1) {
      const event = this.#events[at];
      if (event === undefined) break;
      if (event.stream.startsWith(prefix)) {
        bytes += event.bytes;
        const full = events.length > 0 && bytes > bounds.maxBytes;
        if (full || events.length >= bounds.maxEvents) return { events, checkpoint, end: false };
        events.push(event);
      }
      checkpoint = event.position.commit;
    }
    return { events, checkpoint: checkpoint > this.#head ? checkpoint : this.#head, end: true };
  }

  #firstAfter(position: bigint): number {
    let low = this.#start;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const at = this.#events[middle]?.position.commit ?? 0n;
      if (at > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
