/**
 * The embedded event log: the port over one SQLite file. Appends go in batches to a writer
 * thread, reads come from this thread's own connection, live pulls from memory.
 */
import { checkStreamName, encodeEvents } from '../encode-events.js';
import { UnavailableError } from '../errors.js';
import type {
  AppendResult,
  EventLog,
  EventPuller,
  ExpectedRevision,
  NewEvent,
  PullOptions,
  ReadOptions,
  StoredEvent,
} from '../event-log.js';
import { positionOf, type Position } from '../position.js';
import { AppendQueue, unknownOutcome, type QueueLimits } from './append-queue.js';
import { unusable } from './log-file-error.js';
import type { LogLock } from './log-lock.js';
import type { LogPage, LogPages, PageBounds } from './log-pages.js';
import { GrowthWaiters, LogPuller } from './log-puller.js';
import type { SqliteEventLogOptions } from './log-options.js';
import { readStream } from './read-stream.js';
import { messageOf } from './sqlite-errors.js';
import { committedEvent } from './stored-row.js';
import { TailBuffer } from './tail-buffer.js';
import type { BatchReply, TruncateReply } from './writer-messages.js';
import { WriterThread } from './writer-thread.js';

const MIB = 1024 * 1024;

interface WaitingTruncation {
  readonly stream: string;
  resolve(): void;
  reject(error: Error): void;
}

/** Made by `openSqliteEventLog`. */
export class SqliteEventLog implements EventLog {
  readonly lastEventsStay = true;
  readonly embedded = true;
  readonly #lock: LogLock;
  readonly #pages: LogPages;
  readonly #queue: AppendQueue;
  readonly #tail: TailBuffer;
  readonly #logId: string;
  readonly #timeoutMs: number;
  readonly #waiters = new GrowthWaiters();
  readonly #pullers = new Set<LogPuller>();
  readonly #truncations = new Map<number, WaitingTruncation>();
  #writer: WriterThread | undefined;
  #tickets = 0;
  #flushSoon = false;
  /** Why nothing is served any more. */
  #ended: UnavailableError | undefined;
  #closing: Promise<void> | undefined;
  #settled: (() => void) | undefined;

  /** @internal */
  constructor(lock: LogLock, pages: LogPages, options: SqliteEventLogOptions) {
    this.#lock = lock;
    this.#pages = pages;
    this.#timeoutMs = options.appendTimeoutMs ?? 10_000;
    const limits: QueueLimits = {
      timeoutMs: this.#timeoutMs,
      maxQueuedAppends: options.maxQueuedAppends ?? 10_000,
      maxQueuedBytes: options.maxQueuedBytes ?? 64 * MIB,
      maxBatchAppends: options.maxBatchAppends ?? 1_024,
      maxBatchBytes: options.maxBatchBytes ?? 8 * MIB,
    };
    this.#queue = new AppendQueue(limits);
    this.#logId = pages.logId();
    this.#tail = new TailBuffer(pages.head(), {
      maxEvents: options.tailEvents ?? 2_048,
      maxBytes: options.tailBytes ?? 8 * MIB,
    });
  }

  /** @internal */
  async start(path: string, entry = new URL('./writer-worker.js', import.meta.url)): Promise<void> {
    try {
      this.#writer = await WriterThread.start(entry, path, {
        onBatch: (reply) => {
          this.#batchAnswered(reply);
        },
        onTruncated: (reply) => {
          this.#truncated(reply);
        },
        onDeath: (message) => {
          this.#fail(message);
        },
      });
    } catch (error) {
      throw unusable(path, error);
    }
  }

  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      checkStreamName(stream);
      const encoded = encodeEvents(events);
      this.#assertOpen();
      this.#queue.add(stream, expected, encoded, resolve, reject);
      if (!this.#flushSoon && !this.#queue.isFlying) {
        this.#flushSoon = true;
        // Not at once: what else arrives in this turn of the event loop shares the sync.
        setImmediate(this.#flush);
      }
    });
  }

  readonly #flush = (): void => {
    this.#flushSoon = false;
    if (this.#queue.isFlying || this.#ended?.reason === 'failed') return;
    const batch = this.#queue.takeBatch();
    if (batch !== undefined) this.#writer?.send(batch);
  };

  readonly #tellGrowth = (): void => {
    this.#waiters.grownTo(this.#tail.head);
  };

  #batchAnswered(reply: BatchReply): void {
    if (reply.kind === 'stored') {
      const head = this.#tail.head;
      this.#queue.stored(reply, (position, stream, revision, created, event) => {
        this.#tail.push(committedEvent(position, stream, revision, created, event));
      });
      this.#flush();
      // Not at once: first the appends that were answered get to tell their callers.
      if (this.#tail.head > head) setImmediate(this.#tellGrowth);
    } else if (reply.kind === 'unknown') {
      this.#fail(`a commit failed (${reply.message})`);
    } else {
      const reason = reply.fatal ? 'failed' : 'unreachable';
      const message = `the log cannot write (${reply.message}); nothing was stored`;
      this.#queue.failBatch(() => new UnavailableError(reason, message));
      if (reply.fatal) this.#fail(message);
      else this.#flush();
    }
    this.#settleIfIdle();
  }

  read(stream: string, options: ReadOptions): AsyncIterable<StoredEvent> {
    return this.#reading(stream, options);
  }

  async *#reading(stream: string, options: ReadOptions): AsyncGenerator<StoredEvent> {
    try {
      yield* readStream(() => this.#openPages(), stream, options);
    } catch (error) {
      throw this.#noted(error);
    }
  }

  pull(options: PullOptions): EventPuller {
    const source = {
      page: (after: bigint, prefix: string, bounds: PageBounds): LogPage => {
        try {
          const pages = this.#openPages();
          return this.#tail.after(after, prefix, bounds) ?? pages.ofLog(after, prefix, bounds);
        } catch (error) {
          throw this.#noted(error);
        }
      },
      storedAfter: async (after: bigint, signal: AbortSignal): Promise<void> => {
        this.#releaseTail();
        this.#assertOpen();
        if (this.#tail.head <= after) await this.#waiters.wait(after, signal);
      },
    };
    const puller = new LogPuller(source, options, (closed) => this.#pullers.delete(closed));
    this.#pullers.add(puller);
    return puller;
  }

  /** What every pull has passed is not needed in memory any more. */
  #releaseTail(): void {
    let passed = this.#tail.head;
    for (const { after } of this.#pullers) if (after < passed) passed = after;
    this.#tail.release(passed);
  }

  async truncate(stream: string, before: bigint): Promise<void> {
    this.#assertOpen();
    const ticket = ++this.#tickets;
    return new Promise((resolve, reject) => {
      this.#truncations.set(ticket, { stream, resolve, reject });
      this.#writer?.send({ kind: 'truncate', ticket, stream, before });
    });
  }

  #truncated({ ticket, before, error }: TruncateReply): void {
    const waiting = this.#truncations.get(ticket);
    this.#truncations.delete(ticket);
    if (error === undefined) {
      if (waiting !== undefined) this.#tail.truncate(waiting.stream, before);
      waiting?.resolve();
    } else {
      const reason = error.fatal ? 'failed' : 'unreachable';
      waiting?.reject(new UnavailableError(reason, `cannot truncate (${error.message})`));
      if (error.fatal) this.#fail(error.message);
    }
    this.#settleIfIdle();
  }

  head(): Promise<Position> {
    return this.#answer(() => positionOf(this.#openPages().head()));
  }

  logId(): Promise<string> {
    return this.#answer(() => {
      this.#assertOpen();
      return this.#logId;
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const failed = this.#ended !== undefined;
    const closed = new UnavailableError('closed', 'the log is closed');
    this.#ended ??= closed;
    await Promise.all([...this.#pullers].map((puller) => puller.close()));
    if (!failed && !this.#isIdle) await this.#settle();
    // Whatever is left now has a writer that does not answer.
    this.#queue.failWaiting(() => closed);
    this.#queue.failBatch(unknownOutcome);
    this.#failTruncations(closed);
    // The writer's connection must be the last: that one leaves no -wal behind.
    this.#pages.close();
    const gone = await (failed ? this.#writer?.terminate() : this.#writer?.end());
    // A writer that hangs in the kernel may still write: its lock is freed when the process ends.
    if (gone !== false) this.#lock.release();
  }

  get #isIdle(): boolean {
    return this.#queue.isEmpty && this.#truncations.size === 0;
  }

  async #settle(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#settled = resolve;
      timer = setTimeout(resolve, this.#timeoutMs);
    });
    clearTimeout(timer);
  }

  #settleIfIdle(): void {
    if (this.#isIdle) this.#settled?.();
  }

  /** The log cannot go on. What flies may be stored or not; nothing else was. */
  #fail(why: string): void {
    if (this.#ended?.reason === 'failed') return;
    const error = new UnavailableError(
      'failed',
      `the log has failed and serves nothing more until it is opened again: ${why}`,
    );
    this.#ended = error;
    this.#queue.failBatch(unknownOutcome);
    this.#queue.failWaiting(() => error);
    this.#failTruncations(error);
    this.#waiters.fail(error);
    void this.#writer?.terminate();
    this.#settled?.();
  }

  #failTruncations(error: Error): void {
    for (const truncation of this.#truncations.values()) truncation.reject(error);
    this.#truncations.clear();
  }

  #assertOpen(): void {
    if (this.#ended !== undefined) throw this.#ended;
  }

  #openPages(): LogPages {
    this.#assertOpen();
    return this.#pages;
  }

  /** A file that cannot be read any more fails the whole log. */
  #noted(error: unknown): Error {
    if (error instanceof UnavailableError && error.reason === 'failed') this.#fail(error.message);
    return error instanceof Error ? error : new Error(messageOf(error));
  }

  /** A call that needs no waiting still rejects, and never throws. */
  #answer<T>(value: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      try {
        resolve(value());
      } catch (error) {
        reject(this.#noted(error));
      }
    });
  }
}
