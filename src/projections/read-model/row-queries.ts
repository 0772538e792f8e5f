/**
 * Queries over the rows of one generation: by their columns, page by page, and always within one
 * scope, so that no query can forget whose rows it may see.
 */

/** What a row's column must be. A column that is null fits none of them. */
export type RowCondition =
  | { readonly column: string; readonly is: 'set' }
  | { readonly column: string; readonly is: 'equal'; readonly value: string | number }
  /** Of an integer column. */
  | { readonly column: string; readonly is: 'atMost'; readonly value: number };

/** Rows of one scope that meet all conditions. */
export interface RowFilter {
  readonly scope: string;
  readonly where: readonly RowCondition[];
}

export interface RowQuery extends RowFilter {
  /** Only keys after this one, which need not exist (any more). */
  readonly after?: string | undefined;
  /** The most rows, from 1. */
  readonly limit: number;
}

export interface TotalsQuery extends RowFilter {
  /** A text column: rows where it is null are left out. */
  readonly groupBy: string;
  /** Integer columns. */
  readonly sum: readonly string[];
}

/** The rows whose `groupBy` column has one value. */
export interface RowGroup {
  readonly value: string;
  readonly rows: number;
  /** In the order they were asked for. */
  readonly sums: readonly number[];
}

/**
 * Each call shows one moment between two commits.
 *
 * Every call throws a TypeError where the shape has no `scope`, or no such column.
 */
export interface RowQueries<Entry> {
  /** The greatest change number that was given; 0 before the first. */
  lastChange(): Promise<number>;

  /**
   * Rows by rising key, compared by code points: a key keeps its place whatever happens to its
   * row, so whoever goes on after the last key of a page gets each lasting row once.
   *
   * @throws {UnusableReadModelError} a stored row is not of its shape
   */
  select(query: RowQuery): Promise<readonly Entry[]>;

  /**
   * The rows of a scope that changed after a change number, as they are now, by rising change
   * number. Whoever goes on after the last one misses no row, though not each of its states.
   *
   * @throws {UnusableReadModelError} a stored row is not of its shape
   */
  changesAfter(scope: string, change: number, limit: number): Promise<readonly Entry[]>;

  /** Counts and sums, one group for each value there is. */
  totals(query: TotalsQuery): Promise<readonly RowGroup[]>;
}
