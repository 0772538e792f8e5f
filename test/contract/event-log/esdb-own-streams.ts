/**
 * A part of a server as a log of its own: its streams get a prefix that nobody else has, and
 * "from the start" means from where the log ended when it was opened. So the contract runs on a
 * server that holds other data, and leaves that alone.
 */
import { randomUUID } from 'node:crypto';
import { ConflictError } from '../../../src/events/log/errors.js';
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
} from '../../../src/events/log/event-log.js';
import { comparePositions, LOG_START, type Position } from '../../../src/events/log/position.js';

export class OwnStreams implements EventLog {
  readonly #log: EventLog;
  readonly #start: Position;
  readonly #prefix = `planlogTest${randomUUID().replaceAll('-', '')}-`;

  private constructor(log: EventLog, start: Position) {
    this.#log = log;
    this.#start = start;
  }

  static async of(log: EventLog): Promise<OwnStreams> {
    return new OwnStreams(log, await log.head());
  }

  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<AppendResult> {
    try {
      return await this.#log.append(this.#own(stream), expected, events);
    } catch (error) {
      if (error instanceof ConflictError) throw new ConflictError(stream, error.actualRevision);
      throw error;
    }
  }

  async *read(stream: string, options: ReadOptions): AsyncIterable<StoredEvent> {
    for await (const event of this.#log.read(this.#own(stream), options)) yield this.#seen(event);
  }

  pull(options: PullOptions): EventPuller {
    const fromStart = comparePositions(options.after, LOG_START) === 0;
    const puller = this.#log.pull({
      ...options,
      prefix: this.#prefix + options.prefix,
      after: fromStart ? this.#start : options.after,
    });
    return {
      next: async (): Promise<PulledBatch | undefined> => {
        const batch = await puller.next();
        return batch && { ...batch, events: batch.events.map((event) => this.#seen(event)) };
      },
      close: () => puller.close(),
    };
  }

  truncate(stream: string, before: bigint): Promise<void> {
    return this.#log.truncate(this.#own(stream), before);
  }

  head(): Promise<Position> {
    return this.#log.head();
  }

  logId(): Promise<string> {
    return this.#log.logId();
  }

  close(): Promise<void> {
    return this.#log.close();
  }

  #own(stream: string): string {
    return stream === '' ? '' : this.#prefix + stream;
  }

  #seen(event: StoredEvent): StoredEvent {
    const { revision, position, id, type, created, bytes, data, metadata } = event;
    const stream = event.stream.slice(this.#prefix.length);
    return { stream, revision, position, id, type, created, bytes, data, metadata };
  }
}
