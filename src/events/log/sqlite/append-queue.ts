/**
 * The appends that wait for the writer: bounded, handed over in batches, each with a time by
 * which it is answered whatever happens (faults.md A2).
 */
import { ConflictError, OutcomeUnknownError, UnavailableError } from '../errors.js';
import type { EncodedEvent } from '../encode-events.js';
import type { AppendResult, ExpectedRevision } from '../event-log.js';
import { positionOf } from '../position.js';
import type { AppendBatch, BatchStored } from './writer-messages.js';

export interface QueueLimits {
  /** An append that is not answered in this time fails. */
  readonly timeoutMs: number;
  /** What may wait or be with the writer at once; more is refused as `overloaded`. */
  readonly maxQueuedAppends: number;
  readonly maxQueuedBytes: number;
  /** What one transaction may hold; a single larger append still goes, alone. */
  readonly maxBatchAppends: number;
  readonly maxBatchBytes: number;
}

/** An append that was accepted and has no answer yet. */
interface Waiting {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly EncodedEvent[];
  readonly bytes: number;
  readonly deadline: number;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: Error) => void;
}

/** What is told of each event as it is known to be stored. */
export type StoredListener = (
  position: bigint,
  stream: string,
  revision: bigint,
  created: number,
  event: EncodedEvent,
) => void;

export class AppendQueue {
  readonly #limits: QueueLimits;
  #waiting: Waiting[] = [];
  #flying: readonly Waiting[] = [];
  #count = 0;
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#flying.length === 0;
  }

  get isFlying(): boolean {
    return this.#flying.length > 0;
  }

  /** @throws {UnavailableError} `overloaded`, at once */
  add(
    stream: string,
    expected: ExpectedRevision,
    events: readonly EncodedEvent[],
    resolve: (result: AppendResult) => void,
    reject: (error: Error) => void,
  ): void {
    let bytes = stream.length;
    for (const event of events) bytes += event.bytes;
    const { maxQueuedAppends, maxQueuedBytes, timeoutMs } = this.#limits;
    const tooMuch = this.#count > 0 && this.#bytes + bytes > maxQueuedBytes;
    if (this.#count >= maxQueuedAppends || tooMuch) {
      throw new UnavailableError(
        'overloaded',
        `the log has ${this.#count} appends (${this.#bytes} bytes) waiting; try again later`,
      );
    }
    this.#count += 1;
    this.#bytes += bytes;
    const deadline = performance.now() + timeoutMs;
    this.#waiting.push({ stream, expected, events, bytes, deadline, resolve, reject });
    this.#timer ??= setTimeout(this.#expire, timeoutMs);
  }

  /** Takes the next batch off the queue, or undefined when nothing waits. */
  takeBatch(): AppendBatch | undefined {
    if (this.#waiting.length === 0) return undefined;
    const { maxBatchAppends, maxBatchBytes } = this.#limits;
    let count = 0;
    let bytes = 0;
    for (const append of this.#waiting) {
      bytes += append.bytes;
      if (count >= maxBatchAppends || (count > 0 && bytes > maxBatchBytes)) break;
      count += 1;
    }
    const batch = this.#waiting.splice(0, count);
    this.#flying = batch;
    const events: string[] = [];
    for (const append of batch) {
      for (const { id, type, data, metadata } of append.events) {
        events.push(id, type, data, metadata);
      }
    }
    return {
      kind: 'append',
      streams: batch.map((append) => append.stream),
      expected: batch.map(({ expected }) => (expected === 'no_stream' ? null : expected)),
      counts: batch.map((append) => append.events.length),
      events,
    };
  }

  /** The batch is on disk: tells the listener, in order, and answers each append. */
  stored(reply: BatchStored, listener: StoredListener): void {
    const batch = this.#land();
    const exceptions = new Map(reply.exceptions.map((exception) => [exception.index, exception]));
    let position = reply.first;
    for (const [index, { stream, expected, events, resolve, reject }] of batch.entries()) {
      const exception = exceptions.get(index);
      if (exception === undefined) {
        let revision = expected === 'no_stream' ? -1n : expected;
        for (const event of events) {
          listener(position++, stream, ++revision, reply.created, event);
        }
        resolve({ revision, position: positionOf(position - 1n) });
      } else if (exception.kind === 'repeat') {
        const { revision } = exception;
        resolve({ revision, position: positionOf(exception.position) });
      } else {
        reject(new ConflictError(stream, exception.actual));
      }
    }
  }

  /** The batch that flies was not stored, or nobody knows. */
  failBatch(error: () => Error): void {
    for (const append of this.#land()) append.reject(error());
  }

  /** Nothing that waits will be sent any more. */
  failWaiting(error: () => Error): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const append of waiting) {
      this.#forget(append);
      append.reject(error());
    }
    this.#stopTimerWhenIdle();
  }

  #land(): readonly Waiting[] {
    const batch = this.#flying;
    this.#flying = [];
    for (const append of batch) this.#forget(append);
    this.#stopTimerWhenIdle();
    return batch;
  }

  #forget(append: Waiting): void {
    this.#count -= 1;
    this.#bytes -= append.bytes;
  }

  #stopTimerWhenIdle(): void {
    if (!this.isEmpty) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Deadlines rise along the queue, so one timer serves them all. */
  readonly #expire = (): void => {
    const now = performance.now();
    // A batch that flies stays where it is: its events may still be stored, and are then told.
    for (const append of this.#flying) {
      if (append.deadline > now) break;
      append.reject(
        new OutcomeUnknownError(
          `the append to ${append.stream} was not answered in ${this.#limits.timeoutMs} ms; ` +
            'it may be stored now or later',
        ),
      );
    }
    while (this.#waiting[0] !== undefined && this.#waiting[0].deadline <= now) {
      const append = this.#waiting.shift();
      if (append === undefined) break;
      this.#forget(append);
      append.reject(
        new UnavailableError(
          'overloaded',
          `the log did not come to the append to ${append.stream} in ` +
            `${this.#limits.timeoutMs} ms; nothing was stored`,
        ),
      );
    }
    this.#timer = undefined;
    const open = this.#flying.find((append) => append.deadline > now) ?? this.#waiting[0];
    if (open !== undefined) {
      this.#timer = setTimeout(this.#expire, Math.max(1, open.deadline - now));
    }
  };
}

/** For appends that were with the writer when the log ended. */
export function unknownOutcome(): OutcomeUnknownError {
  return new OutcomeUnknownError(
    'the log ended before it answered; the append may be stored or not',
  );
}
