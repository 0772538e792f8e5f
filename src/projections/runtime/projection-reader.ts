/** What a query side sees of a running projection: its committed rows and their changes. */
import type { Position } from '../../events/log/position.js';
import type { RowEntry } from '../read-model/read-model.js';
import type { RowQueries } from '../read-model/row-queries.js';

export interface ProjectionReader<Row> {
  /** Everything up to here is committed; undefined before the log was reached. */
  readonly position: Position | undefined;

  /**
   * The committed entry of a key; undefined where nothing was ever folded under it.
   *
   * @throws {ProjectionNotStartedError} before the start and after the stop
   * @throws {ProjectionRefusedError} the rows are damaged, or not of this log
   */
  get(key: string): Promise<RowEntry<Row> | undefined>;

  /**
   * Waits until everything up to a position has been committed, also where the projection
   * ignores what lies there.
   *
   * @param timeoutMs how long at most; 0 asks without waiting
   * @param signal ends the wait early
   * @returns false when the time is over, the signal aborts or the projection stops
   * @throws {ProjectionRefusedError} as {@link get}, also while it waits
   */
  reached(position: Position, timeoutMs: number, signal?: AbortSignal): Promise<boolean>;

  /**
   * Calls `listener` with the entry after each event that changes it, in order, after its
   * commit. What the listener throws is swallowed.
   *
   * @param refused called once when {@link get} begins to refuse: no change will come any more
   * @returns ends the subscription; may be called again
   */
  subscribe(
    key: string,
    listener: (entry: RowEntry<Row>) => void,
    refused?: () => void,
  ): () => void;
}

/** What a query side over many rows sees of a running projection that has a scope. */
export interface ProjectionTable<Row> extends RowQueries<RowEntry<Row>> {
  /** See {@link ProjectionReader.reached}. */
  reached(position: Position, timeoutMs: number, signal?: AbortSignal): Promise<boolean>;

  /**
   * Calls `listener` for each key that a commit has changed. It says when to look, no more: what
   * is to be told are the rows after the last change number that was seen.
   *
   * @returns ends the subscription; may be called again
   */
  subscribeAll(listener: (entry: RowEntry<Row>) => void): () => void;
}
