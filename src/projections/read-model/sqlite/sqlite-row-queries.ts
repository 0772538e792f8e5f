/** Queries over a read model's file. Filters and totals read one narrow index, never the rows. */
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { z } from 'zod';
import type { RowShape } from '../read-model.js';
import type { RowCondition, RowFilter, RowGroup, RowQuery, TotalsQuery } from '../row-queries.js';
import { columnName } from './file-format.js';

const keyLine = z.object({ key: z.string() });
const number = z.number();

export class SqliteRowQueries<Row> {
  readonly #db: DatabaseSyncInstance;
  readonly #name: string;
  readonly #scoped: boolean;
  readonly #columns: ReadonlySet<string>;
  /** By their SQL: there are as many as kinds of filters. */
  readonly #statements = new Map<string, StatementSyncInstance>();

  constructor(db: DatabaseSyncInstance, { name, scope, columns = [] }: RowShape<Row>) {
    this.#db = db;
    this.#name = name;
    this.#scoped = scope !== undefined;
    this.#columns = new Set(columns.map((column) => column.name));
  }

  /** See {@link RowQueries.select}. */
  keys(query: RowQuery): string[] {
    const { sql, values } = this.#filter(query);
    const statement = this.#prepare(
      `SELECT key FROM rows WHERE ${sql} AND key > ? ORDER BY key LIMIT ?`,
    );
    return keysOf(statement.all(...values, query.after ?? '', query.limit));
  }

  /** See {@link RowQueries.changesAfter}. */
  changedKeys(scope: string, change: number, limit: number): string[] {
    const statement = this.#prepare(
      'SELECT key FROM rows WHERE scope = ? AND change > ? ORDER BY change LIMIT ?',
    );
    return keysOf(statement.all(scope, change, limit));
  }

  /** See {@link RowQueries.totals}. */
  totals(query: TotalsQuery): RowGroup[] {
    const { sql, values } = this.#filter(query);
    const group = this.#column(query.groupBy);
    const sums = query.sum.map((name, at) => `, total(${this.#column(name)}) AS sum_${at}`);
    const statement = this.#prepare(
      `SELECT ${group} AS value, count(*) AS rows${sums.join('')} FROM rows
       WHERE ${sql} AND ${group} IS NOT NULL GROUP BY ${group}`,
    );
    const line = z.object({ value: z.string(), rows: number }).catchall(number);
    return statement.all(...values).map((found: unknown) => {
      const { value, rows, ...rest } = line.parse(found);
      return { value, rows, sums: query.sum.map((_, at) => rest[`sum_${at}`] ?? 0) };
    });
  }

  #filter({ scope, where }: RowFilter): { sql: string; values: (string | number)[] } {
    const parts = where.map((condition) => this.#condition(condition));
    return {
      sql: ['scope = ?', ...parts].join(' AND '),
      values: [scope, ...where.flatMap((one) => (one.is === 'set' ? [] : [one.value]))],
    };
  }

  #condition({ column, is }: RowCondition): string {
    const name = this.#column(column);
    switch (is) {
      case 'set':
        return `${name} IS NOT NULL`;
      case 'equal':
        return `${name} = ?`;
      case 'atMost':
        return `${name} <= ?`;
    }
  }

  /** Names go into the SQL: only those of the shape do. */
  #column(name: string): string {
    if (this.#columns.has(name)) return columnName(name);
    throw new TypeError(`projection ${this.#name} has no column ${name}`);
  }

  #prepare(sql: string): StatementSyncInstance {
    if (!this.#scoped) {
      throw new TypeError(`projection ${this.#name} has no scope, so it cannot be queried`);
    }
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

function keysOf(lines: readonly unknown[]): string[] {
  return lines.map((line) => keyLine.parse(line).key);
}
