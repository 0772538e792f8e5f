/**
 * The port of the read models: one keyed set of rows for each generation of a projection,
 * which changes together with the checkpoint or not at all (faults.md C 29).
 */
import type { z } from 'zod';
import type { Checkpoint } from '../runtime/checkpoint.js';
import type { ProjectionCatalog } from './projection-catalog.js';
import type { RowQueries } from './row-queries.js';

/** Why a key stands still: the event that could not be folded. */
export interface Parked {
  readonly stream: string;
  readonly revision: bigint;
  readonly reason: string;
  /** When that event was stored, ISO 8601. */
  readonly at: string;
}

/** What is stored under a key. Immutable, and shared by all who read it. */
export interface RowEntry<Row> {
  readonly key: string;
  /** Undefined where the fold removed the row, or was parked before it made one. */
  readonly row: Row | undefined;
  /** 0 at first; raised when the row may differ from what the same revision showed before. */
  readonly epoch: number;
  readonly parked: Parked | undefined;
  /** Rises with each change of any row of this generation. */
  readonly change: number;
}

/** A row to be written; the store gives it its change number. */
export type RowWrite<Row> = Omit<RowEntry<Row>, 'change'>;

/** A value kept beside a row, to be filtered and sorted by. */
export interface RowColumn<Row> {
  /** Lower-case letters and `_`. */
  readonly name: string;
  readonly type: 'text' | 'integer';
  readonly value: (row: Row) => string | number | null;
}

/** Whose rows they are. */
export interface RowSet {
  readonly name: string;
  /** Raised when the fold, the row, the scope or a column changes: each version has its own rows. */
  readonly version: number;
}

/** What a store needs to know of a projection to keep its rows. */
export interface RowShape<Row> extends RowSet {
  /** Rows that come back from the store are parsed with it. */
  readonly row: z.ZodType<Row>;
  readonly columns?: readonly RowColumn<Row>[];
  /**
   * The part of the read model that a key belongs to, such as its tenant. Pure. Rows without it
   * cannot be queried, and cost less to write.
   */
  readonly scope?: (key: string) => string;
  /** What the columns of a key say that was parked before it had a row; else they are null. */
  readonly initial?: Row;
  /** The row as JSON text, where there is a cheaper way to it than `JSON.stringify`. */
  readonly toJson?: (row: Row) => string;
}

/** How far a generation's rows have come. */
export interface RowsProgress {
  /** Of the last commit; undefined before the first. */
  readonly checkpoint: Checkpoint | undefined;
  /** How many events were folded into the rows. */
  readonly events: number;
  /** The greatest change number, 0 where there is no row. */
  readonly change: number;
  /** The greatest epoch of a row, at least 0. */
  readonly epoch: number;
}

/** The rows and the checkpoint of one generation. */
export interface ReadModel<Row> extends RowQueries<RowEntry<Row>> {
  /** The checkpoint of the last commit; undefined before the first. */
  checkpoint(): Promise<Checkpoint | undefined>;

  /** How far the rows have come, as committed. */
  progress(): Promise<RowsProgress>;

  /**
   * @throws {UnusableReadModelError} the stored row is not of its shape
   */
  get(key: string): Promise<RowEntry<Row> | undefined>;

  /**
   * The entries of those keys that have one.
   *
   * @throws {UnusableReadModelError} a stored row is not of its shape
   */
  load(keys: Iterable<string>): Promise<Map<string, RowEntry<Row>>>;

  /**
   * Writes rows and checkpoint in one transaction: all of it or nothing. A checkpoint that
   * lies before the stored one, or belongs to another log, is refused and changes nothing.
   *
   * @param events how many events the rows and the checkpoint take in; by default none
   * @returns the entries as stored, in the order of their change numbers
   * @throws {CheckpointRegressionError}
   */
  commit(
    rows: readonly RowWrite<Row>[],
    checkpoint: Checkpoint,
    events?: number,
  ): Promise<readonly RowEntry<Row>[]>;

  /**
   * A page of all entries, in the order of their keys as bytes of UTF-8.
   *
   * @param after the last key of the page before; undefined for the first page
   * @throws {UnusableReadModelError} a stored row is not of its shape
   */
  scan(after: string | undefined, limit: number): Promise<readonly RowEntry<Row>[]>;

  /** Sees to it that everything committed so far outlives a power cut. */
  sync(): Promise<void>;

  /** How many keys are parked. */
  countParked(): Promise<number>;

  /**
   * A page of the entries that are parked, in the order of their keys as bytes of UTF-8.
   *
   * @param after the last key of the page before; undefined for the first page
   * @throws {UnusableReadModelError} a stored row is not of its shape
   */
  parked(after: string | undefined, limit: number): Promise<readonly RowEntry<Row>[]>;

  /** Frees all resources. May be called again. */
  close(): Promise<void>;
}

/** Where the read models of all projections are kept. */
export interface ReadModels {
  /**
   * Opens a generation's rows, and creates them where there are none.
   *
   * @throws {UnusableReadModelError} what is there is damaged, newer, or something else;
   *   it is left as it is
   */
  open<Row>(shape: RowShape<Row>, generation: number): Promise<ReadModel<Row>>;

  /**
   * How far a generation has come, also while another process writes it. Nothing is made.
   *
   * @returns undefined where there are no rows of it
   * @throws {UnusableReadModelError} as {@link open}
   */
  progress(rows: RowSet, generation: number): Promise<RowsProgress | undefined>;

  /**
   * Removes a generation's rows, for ever. Nobody may have them open. Doing it again changes
   * nothing.
   */
  drop(rows: RowSet, generation: number): Promise<void>;

  /**
   * Takes a lock over all processes; it is freed when its holder dies, however it dies.
   *
   * @param name what is locked: letters, digits, `-` and `.`
   * @returns frees it; may be called again
   * @throws {ReadModelLockedError} somebody holds it, at once
   */
  lock(name: string): Promise<() => void>;

  /**
   * Opens a projection's catalogue, and makes it where there is none. Several may be open at
   * once, also in several processes.
   *
   * @param name of the projection
   * @throws {UnusableReadModelError} as {@link open}
   */
  catalog(name: string): Promise<ProjectionCatalog>;
}

/**
 * Stored rows that this program cannot use. They are derived from the log, so the way out is
 * to remove them; that is for a person to do, never for the program.
 */
export class UnusableReadModelError extends Error {
  readonly code = 'read_model_unusable';
  override readonly name = 'UnusableReadModelError';

  /**
   * @param reason `newer`: written by a later release; `other`: it belongs to something else
   */
  constructor(
    readonly reason: 'damaged' | 'newer' | 'other',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A commit that would set a checkpoint back. Nothing was written. */
export class CheckpointRegressionError extends Error {
  readonly code = 'checkpoint_regression';
  override readonly name = 'CheckpointRegressionError';
}

/** Another process, or another part of this one, holds the lock. Nothing was changed. */
export class ReadModelLockedError extends Error {
  readonly code = 'read_model_locked';
  override readonly name = 'ReadModelLockedError';

  /** @param lock what is locked */
  constructor(
    readonly lock: string,
    options?: ErrorOptions,
  ) {
    super(`${lock} is in use by another process; let it end, or stop it`, options);
  }
}
