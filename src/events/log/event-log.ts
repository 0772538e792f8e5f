/**
 * The port of the event log: streams of events with exact expected revisions, and one order
 * over all of them. Everything outside this folder sees a store only through it.
 */
import type { Position } from './position.js';

/** The most one append may hold: data, metadata and types, in bytes of UTF-8. It is the
 * smallest limit of a supported server (EventStoreDB 24.10: MaxAppendSize). */
export const MAX_APPEND_BYTES = 1_048_576;

export type JsonObject = Readonly<Record<string, unknown>>;

/** An event to be stored. */
export interface NewEvent {
  /** A UUID, random, made once for a decision and kept for every resend of it. */
  readonly id: string;
  readonly type: string;
  /** Anything JSON can carry. */
  readonly data: JsonObject;
  readonly metadata: JsonObject;
}

/** An event as it was read back. Its parts are unchecked: whoever uses them parses them. */
export interface StoredEvent {
  readonly stream: string;
  /** Zero-based, gap-free within the stream but for truncated events. */
  readonly revision: bigint;
  readonly position: Position;
  readonly id: string;
  readonly type: string;
  /** Parsed JSON, undefined where the stored bytes are not JSON. May be parsed on first use. */
  readonly data: unknown;
  readonly metadata: unknown;
  /** When it was stored, by the log's clock. */
  readonly created: Date;
  /** Size in bytes as {@link MAX_APPEND_BYTES} counts it, or a good estimate. */
  readonly bytes: number;
}

/** The revision a stream must be at: that of its last event, or `no_stream`. Always exact:
 * only an exact revision makes a resend safe. */
export type ExpectedRevision = bigint | 'no_stream';

/** What an append returns: where its last event lies. */
export interface AppendResult {
  readonly revision: bigint;
  readonly position: Position;
}

export interface ReadOptions {
  readonly direction: 'forwards' | 'backwards';
  /** First revision to return, or the next one that exists in the direction: forwards from
   * beyond the last event yields nothing, backwards from there begins at the last. Default: the
   * end that lies first in the direction. */
  readonly from?: bigint;
  /** The most events to return. */
  readonly limit: number;
}

export interface PullOptions {
  /** Only events of streams whose name starts with this are returned. */
  readonly prefix: string;
  /** Exclusive: the first event returned lies after it. */
  readonly after: Position;
  /** The most events in one batch. Default 500. */
  readonly maxEvents?: number;
  /** The most bytes in one batch; a single larger event still comes, alone. Default 4 MiB. */
  readonly maxBytes?: number;
}

/** One step of a pull. */
export interface PulledBatch {
  /** In the order of the log. May be empty. */
  readonly events: readonly StoredEvent[];
  /** Everything up to here, of all streams, has been seen: at or after the last event. Never
   * lower than that of the batch before. */
  readonly checkpoint: Position;
  /** True when nothing was stored after `checkpoint` at the moment it was taken. */
  readonly caughtUp: boolean;
}

/**
 * Reads the log from a position on, stored events first, then each new one as it commits,
 * without gap or repeat where the two meet. Nothing is read ahead of `next()` but for a bound.
 */
export interface EventPuller {
  /**
   * The next batch. The first batches lead to the head; then it waits until something was
   * appended (also to another stream: that batch has no events and a later checkpoint). The
   * first batch that reaches the head has `caughtUp`, and is empty where nothing was left.
   * Call it again only after it has settled.
   *
   * @returns undefined once closed
   * @throws {UnavailableError} the source ended or failed; pull anew from the last checkpoint
   */
  next(): Promise<PulledBatch | undefined>;
  /** Ends a waiting `next()` with undefined and frees all resources. May be called again. */
  close(): Promise<void>;
}

export interface EventLog {
  /** True where nobody can remove a stream's last event: a stream that ends before an event that
   * was seen is then another history. */
  readonly lastEventsStay?: boolean;

  /** True where one process owns the log: nobody else could have built a read model from it. */
  readonly embedded?: boolean;

  /**
   * Appends all the events or none, at exactly `expected`. The same events (ids) at the same
   * expected revision again are done, not a conflict, with the result of the first time; other
   * ids there are a conflict, also when one of them is known.
   *
   * @throws {InvalidEventError} before anything is sent; also for an empty array
   * @throws {TooLargeError} before anything is sent
   * @throws {ConflictError} | {UnavailableError}: nothing was stored
   * @throws {OutcomeUnknownError}: it may be stored now or later
   */
  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<AppendResult>;

  /**
   * Reads one stream, lazily, by pages. A stream that does not exist yields nothing.
   *
   * @throws {UnavailableError}
   */
  read(stream: string, options: ReadOptions): AsyncIterable<StoredEvent>;

  /** Opens a pull. Touches the store on the first `next()`. */
  pull(options: PullOptions): EventPuller;

  /**
   * Removes the stream's events before `before`. The last event always stays, whatever
   * `before` says, so revisions go on from it. Doing it again changes nothing.
   *
   * @throws {UnavailableError}
   */
  truncate(stream: string, before: bigint): Promise<void>;

  /**
   * The position of the last event of the log, LOG_START when it is empty.
   *
   * @throws {UnavailableError}
   */
  head(): Promise<Position>;

  /**
   * Names the log itself, for ever: a checkpoint belongs to a log id.
   *
   * @throws {UnavailableError}
   */
  logId(): Promise<string>;

  /** Settles what was accepted, ends every pull, frees all resources. May be called again. */
  close(): Promise<void>;
}
