/**
 * An event log in memory, with the semantics of the real ones: for tests that need a log and
 * no disk. It passes the same contract suite.
 */
import { randomUUID } from 'node:crypto';
import { checkStreamName, encodeEvents } from '../events/log/encode-events.js';
import { ConflictError, UnavailableError } from '../events/log/errors.js';
import type {
  AppendResult,
  EventLog,
  EventPuller,
  ExpectedRevision,
  NewEvent,
  PulledBatch,
  PullOptions,
  ReadOptions,
  StoredEvent,
} from '../events/log/event-log.js';
import { comparePositions, LOG_START, positionOf, type Position } from '../events/log/position.js';

export interface MemoryEventLogOptions {
  /** The log's clock, in milliseconds. Default: `Date.now`. */
  readonly now?: () => number;
}

export class MemoryEventLog implements EventLog {
  readonly embedded = true;
  readonly #id = randomUUID();
  readonly #now: () => number;
  readonly #streams = new Map<string, StoredEvent[]>();
  readonly #pullers = new Set<MemoryPuller>();
  #all: StoredEvent[] = [];
  #closed = false;

  constructor(options: MemoryEventLogOptions = {}) {
    this.#now = options.now ?? Date.now;
  }

  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<AppendResult> {
    checkStreamName(stream);
    const encoded = encodeEvents(events);
    await this.#open();
    const stored = this.#streams.get(stream) ?? [];
    const actual = stored.at(-1)?.revision ?? null;
    const before = expected === 'no_stream' ? -1n : expected;
    if (actual !== (expected === 'no_stream' ? null : expected)) {
      const first = expected === 'no_stream' || expected >= 0n ? before + 1n : -1n;
      const at = stored.findIndex((event) => event.revision === first);
      const there = at < 0 ? [] : stored.slice(at, at + encoded.length);
      const same = encoded.every((event, index) => event.id === there[index]?.id);
      const last = there.at(-1);
      if (!same || last === undefined) throw new ConflictError(stream, actual);
      return { revision: last.revision, position: last.position };
    }
    const head = this.#all.at(-1)?.position.commit ?? 0n;
    const created = this.#now();
    const added = encoded.map((event, index): StoredEvent => ({
      stream,
      revision: before + 1n + BigInt(index),
      position: positionOf(head + 1n + BigInt(index)),
      id: event.id,
      type: event.type,
      data: JSON.parse(event.data) as unknown,
      metadata: JSON.parse(event.metadata) as unknown,
      created: new Date(created),
      bytes: event.bytes,
    }));
    this.#streams.set(stream, [...stored, ...added]);
    this.#all.push(...added);
    for (const puller of this.#pullers) puller.wake();
    const count = BigInt(added.length);
    return { revision: before + count, position: positionOf(head + count) };
  }

  async *read(
    stream: string,
    { direction, from, limit }: ReadOptions,
  ): AsyncGenerator<StoredEvent, void, undefined> {
    await this.#open();
    const events = this.#streams.get(stream) ?? [];
    const forwards = direction === 'forwards';
    const ordered = forwards ? events : events.toReversed();
    let left = limit;
    for (const event of ordered) {
      if (from !== undefined && (forwards ? event.revision < from : event.revision > from))
        continue;
      if (left <= 0) return;
      left -= 1;
      await this.#open();
      yield event;
    }
  }

  pull(options: PullOptions): EventPuller {
    const puller = new MemoryPuller(
      async () => {
        await this.#open();
        return this.#all;
      },
      options,
      () => this.#pullers.delete(puller),
    );
    this.#pullers.add(puller);
    return puller;
  }

  async truncate(stream: string, before: bigint): Promise<void> {
    await this.#open();
    const events = this.#streams.get(stream) ?? [];
    const last = events.at(-1);
    const gone = new Set(events.filter((event) => event.revision < before && event !== last));
    this.#streams.set(
      stream,
      events.filter((event) => !gone.has(event)),
    );
    this.#all = this.#all.filter((event) => !gone.has(event));
  }

  async head(): Promise<Position> {
    await this.#open();
    return this.#all.at(-1)?.position ?? LOG_START;
  }

  async logId(): Promise<string> {
    await this.#open();
    return this.#id;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#pullers].map((puller) => puller.close()));
  }

  #open(): Promise<void> {
    return this.#closed
      ? Promise.reject(new UnavailableError('closed', 'the log is closed'))
      : Promise.resolve();
  }
}

class MemoryPuller implements EventPuller {
  readonly #events: () => Promise<readonly StoredEvent[]>;
  readonly #options: PullOptions;
  readonly #onClose: () => void;
  #after: Position;
  #live = false;
  #closed = false;
  #wake: (() => void) | undefined;

  constructor(
    events: () => Promise<readonly StoredEvent[]>,
    options: PullOptions,
    onClose: () => void,
  ) {
    this.#events = events;
    this.#options = options;
    this.#onClose = onClose;
    this.#after = options.after;
  }

  async next(): Promise<PulledBatch | undefined> {
    // As a real log would: never two batches in one turn of the event loop.
    await new Promise(setImmediate);
    while (!this.#closed) {
      const events = await this.#events();
      const last = events.at(-1);
      const behind = last !== undefined && comparePositions(last.position, this.#after) > 0;
      if (behind || !this.#live) return this.#batch(events);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return undefined;
  }

  #batch(all: readonly StoredEvent[]): PulledBatch {
    const { prefix, maxEvents = 500, maxBytes = 4 * 1024 * 1024 } = this.#options;
    const events: StoredEvent[] = [];
    let bytes = 0;
    this.#live = true;
    for (const event of all) {
      if (comparePositions(event.position, this.#after) <= 0) continue;
      if (event.stream.startsWith(prefix)) {
        bytes += event.bytes;
        if (events.length >= maxEvents || (events.length > 0 && bytes > maxBytes)) {
          this.#live = false;
          break;
        }
        events.push(event);
      }
      this.#after = event.position;
    }
    return { events, checkpoint: this.#after, caughtUp: this.#live };
  }

  wake(): void {
    this.#wake?.();
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#onClose();
    this.wake();
    return Promise.resolve();
  }
}
