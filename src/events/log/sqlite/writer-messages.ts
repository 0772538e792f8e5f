/**
 * What the log and its writer thread say to each other. One message carries a whole batch in
 * flat arrays, and the answer names only what went otherwise than plainly stored: a message
 * an append would cost more than the append.
 */

/** Appends that are committed together, each for itself. */
export interface AppendBatch {
  readonly kind: 'append';
  readonly streams: readonly string[];
  /** null: the stream must not exist. */
  readonly expected: readonly (bigint | null)[];
  /** How many events each append has. */
  readonly counts: readonly number[];
  /** id, type, data and metadata of each event in turn. */
  readonly events: readonly string[];
}

export type AppendException =
  | { readonly index: number; readonly kind: 'conflict'; readonly actual: bigint | null }
  | {
      readonly index: number;
      readonly kind: 'repeat';
      readonly revision: bigint;
      readonly position: bigint;
    };

/** The batch is on disk. Appends without an exception were stored, in order, from `first` on. */
export interface BatchStored {
  readonly kind: 'stored';
  readonly first: bigint;
  readonly created: number;
  readonly exceptions: readonly AppendException[];
}

/** Nothing of the batch was stored. With `fatal` the writer cannot go on. */
export interface BatchRefused {
  readonly kind: 'refused';
  readonly fatal: boolean;
  readonly message: string;
}

/** The commit itself failed: the batch may be stored or not. The writer cannot go on. */
export interface BatchUnknown {
  readonly kind: 'unknown';
  readonly message: string;
}

export type BatchReply = BatchStored | BatchRefused | BatchUnknown;

export interface TruncateRequest {
  readonly kind: 'truncate';
  readonly ticket: number;
  readonly stream: string;
  readonly before: bigint;
}

export interface TruncateReply {
  readonly kind: 'truncated';
  readonly ticket: number;
  /** What `before` came to: the last event of a stream always stays. */
  readonly before: bigint;
  /** Set when it failed. What was removed until then stays removed. */
  readonly error?: { readonly fatal: boolean; readonly message: string };
}

export type WriterRequest = AppendBatch | TruncateRequest | { readonly kind: 'close' };
export type WriterReply =
  | BatchReply
  | TruncateReply
  | { readonly kind: 'ready' }
  | { readonly kind: 'start_failed'; readonly message: string };
