/** One generation's rows in one SQLite file. Calls are synchronous inside, so nothing is ever
 * half seen; the port's promises settle at once. */
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { comparePositions } from '../../../events/log/position.js';
import { formatCheckpoint, parseCheckpoint, type Checkpoint } from '../../runtime/checkpoint.js';
import {
  CheckpointRegressionError,
  UnusableReadModelError,
  type Parked,
  type ReadModel,
  type RowColumn,
  type RowEntry,
  type RowShape,
  type RowsProgress,
  type RowWrite,
} from '../read-model.js';
import type { RowGroup, RowQuery, TotalsQuery } from '../row-queries.js';
import { asReadModelError, columnName, damaged } from './file-format.js';
import { closeFile, numberIn, syncFile } from './sqlite-file.js';
import { SqliteRowQueries } from './sqlite-row-queries.js';
import type { WalKeeper } from './wal-keeper.js';

export interface RowCacheLimits {
  /** The most JSON of rows kept parsed, bytes. In memory they take about three times that. */
  readonly maxBytes: number;
  readonly maxRows: number;
}

/** What an entry takes beside its row. */
const ENTRY_BYTES = 200;

const generationLine = z.object({
  commits: z.number(),
  change: z.number(),
  checkpoint: z.string().nullable(),
  events: z.number(),
});
const epochLine = z.object({ epoch: z.number().nullable() });
const keyLine = z.object({ key: z.string() });
const rowLine = z.object({
  row: z.string().nullable(),
  epoch: z.number(),
  parked: z.string().nullable(),
  change: z.number(),
});
const parkedJson = z.object({
  stream: z.string(),
  revision: z.string().regex(/^[0-9]{1,20}$/),
  reason: z.string(),
  at: z.string(),
});
const parkedLine = z.object({ key: z.string() });
const countLine = z.object({ count: z.number() });

export class SqliteReadModel<Row> implements ReadModel<Row> {
  readonly #db: DatabaseSyncInstance;
  readonly #path: string;
  readonly #row: z.ZodType<Row>;
  readonly #columns: readonly RowColumn<Row>[];
  readonly #scope: ((key: string) => string) | undefined;
  readonly #initial: Row | undefined;
  readonly #queries: SqliteRowQueries<Row>;
  readonly #toJson: (row: Row) => string;
  readonly #cache: LRUCache<string, RowEntry<Row>>;
  readonly #wal: WalKeeper;
  readonly #begin: StatementSyncInstance;
  readonly #commit: StatementSyncInstance;
  readonly #select: StatementSyncInstance;
  readonly #upsert: StatementSyncInstance;
  readonly #advance: StatementSyncInstance;
  readonly #page: StatementSyncInstance;
  readonly #greatestEpoch: StatementSyncInstance;
  #commits: number;
  #change: number;
  #events: number;
  #checkpoint: Checkpoint | undefined;

  /**
   * @param db an open file of this shape, closed by {@link close}
   * @throws {UnusableReadModelError}
   */
  constructor(
    db: DatabaseSyncInstance,
    path: string,
    shape: RowShape<Row>,
    limits: RowCacheLimits,
    wal: WalKeeper,
  ) {
    this.#db = db;
    this.#path = path;
    this.#wal = wal;
    this.#row = shape.row;
    this.#columns = shape.columns ?? [];
    this.#scope = shape.scope;
    this.#initial = shape.initial;
    this.#queries = new SqliteRowQueries(db, shape);
    this.#toJson = shape.toJson ?? JSON.stringify;
    this.#cache = new LRUCache({ max: limits.maxRows, maxSize: limits.maxBytes });
    const mutable = ['row', 'epoch', 'parked', 'change'].concat(
      this.#columns.map(({ name }) => columnName(name)),
    );
    // A key keeps its scope: an index is written only where one of its columns is.
    const names = ['key', ...mutable, ...(shape.scope ? ['scope'] : [])];
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#select = db.prepare('SELECT row, epoch, parked, change FROM rows WHERE key = ?');
    this.#upsert = db.prepare(
      `INSERT INTO rows (${names.join()}) VALUES (${names.map(() => '?').join()})
       ON CONFLICT (key) DO UPDATE SET
       ${mutable.map((name) => `${name} = excluded.${name}`).join()}`,
    );
    this.#advance = db.prepare(
      'UPDATE generation SET commits = ?, change = ?, checkpoint = ?, events = ? ' +
        'WHERE id = 1 AND commits = ?',
    );
    this.#page = db.prepare('SELECT key FROM rows WHERE key > ? ORDER BY key LIMIT ?');
    this.#greatestEpoch = db.prepare('SELECT max(epoch) AS epoch FROM rows WHERE epoch > 0');
    const line = generationLine.safeParse(
      db.prepare('SELECT commits, change, checkpoint, events FROM generation').get(),
    );
    if (!line.success) throw damaged(path, line.error);
    const { commits, change, checkpoint, events } = line.data;
    this.#commits = commits;
    this.#events = events;
    this.#change = change;
    if (checkpoint === null) return;
    this.#checkpoint = parseCheckpoint(checkpoint);
    if (this.#checkpoint === undefined) throw damaged(path);
  }

  checkpoint(): Promise<Checkpoint | undefined> {
    return Promise.resolve(this.#checkpoint);
  }

  progress(): Promise<RowsProgress> {
    return settled(() => {
      const line: unknown = this.#greatestEpoch.get();
      return {
        checkpoint: this.#checkpoint,
        events: this.#events,
        change: this.#change,
        epoch: this.#parse(epochLine, line).epoch ?? 0,
      };
    });
  }

  get(key: string): Promise<RowEntry<Row> | undefined> {
    return settled(() => this.#get(key));
  }

  load(keys: Iterable<string>): Promise<Map<string, RowEntry<Row>>> {
    return settled(() => {
      const entries = new Map<string, RowEntry<Row>>();
      for (const key of keys) {
        const entry = this.#get(key);
        if (entry) entries.set(key, entry);
      }
      return entries;
    });
  }

  commit(
    rows: readonly RowWrite<Row>[],
    checkpoint: Checkpoint,
    events = 0,
  ): Promise<readonly RowEntry<Row>[]> {
    const { pause } = this.#wal;
    if (pause !== undefined) return pause.then(() => this.#write(rows, checkpoint, events));
    return settled(() => this.#write(rows, checkpoint, events));
  }

  scan(after: string | undefined, limit: number): Promise<readonly RowEntry<Row>[]> {
    return settled(() => {
      const lines: unknown[] = this.#page.all(after ?? '', limit);
      return lines.flatMap((line) => this.#get(this.#parse(keyLine, line).key) ?? []);
    });
  }

  async sync(): Promise<void> {
    await this.#wal.pause;
    await settled(() => {
      const copied: unknown = this.#db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      // While somebody reads not all can be copied into the file: then the -wal itself must last.
      if (numberIn(copied, 'busy') !== 0) syncFile(`${this.#path}-wal`);
    });
  }

  countParked(): Promise<number> {
    return settled(() => {
      const line: unknown = this.#db
        .prepare('SELECT count(*) AS count FROM rows WHERE parked IS NOT NULL')
        .get();
      return countLine.parse(line).count;
    });
  }

  parked(after: string | undefined, limit: number): Promise<readonly RowEntry<Row>[]> {
    return settled(() => {
      const lines: unknown[] = this.#db
        .prepare('SELECT key FROM rows WHERE parked IS NOT NULL AND key > ? ORDER BY key LIMIT ?')
        .all(after ?? '', limit);
      return lines.flatMap((line) => this.#get(this.#parse(parkedLine, line).key) ?? []);
    });
  }

  lastChange(): Promise<number> {
    return Promise.resolve(this.#change);
  }

  select(query: RowQuery): Promise<readonly RowEntry<Row>[]> {
    return settled(() => this.#entries(() => this.#queries.keys(query)));
  }

  changesAfter(scope: string, change: number, limit: number): Promise<readonly RowEntry<Row>[]> {
    return settled(() => this.#entries(() => this.#queries.changedKeys(scope, change, limit)));
  }

  totals(query: TotalsQuery): Promise<readonly RowGroup[]> {
    return settled(() => this.#reading(() => this.#queries.totals(query)));
  }

  async close(): Promise<void> {
    await this.#wal.close();
    this.#cache.clear();
    closeFile(this.#db, this.#path);
  }

  #get(key: string): RowEntry<Row> | undefined {
    const cached = this.#cache.get(key);
    if (cached) return cached;
    const line: unknown = this.#reading((): unknown => this.#select.get(key));
    if (line === undefined) return undefined;
    const { row, parked, epoch, change } = this.#parse(rowLine, line);
    const entry: RowEntry<Row> = {
      key,
      row: row === null ? undefined : this.#parse(this.#row, this.#json(row)),
      epoch,
      parked: parked === null ? undefined : this.#parked(parked),
      change,
    };
    this.#keep(entry, row?.length ?? 0);
    return entry;
  }

  /** Rows by their keys, so that readers share those the cache holds. */
  #entries(keys: () => string[]): RowEntry<Row>[] {
    return this.#reading(keys).flatMap((key) => this.#get(key) ?? []);
  }

  #reading<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw asReadModelError(error, this.#path);
    }
  }

  #write(
    rows: readonly RowWrite<Row>[],
    checkpoint: Checkpoint,
    events: number,
  ): readonly RowEntry<Row>[] {
    this.#refuseRegression(checkpoint);
    const entries: RowEntry<Row>[] = [];
    const sizes: number[] = [];
    let bytes = 0;
    let change = this.#change;
    try {
      this.#begin.run();
      for (const { key, row, epoch, parked } of rows) {
        change += 1;
        const json = row === undefined ? null : this.#toJson(row);
        const shown = row ?? (parked === undefined ? undefined : this.#initial);
        this.#upsert.run(
          key,
          json,
          epoch,
          parked === undefined ? null : formatParked(parked),
          change,
          ...this.#columns.map(({ value }) => (shown === undefined ? null : value(shown))),
          ...(this.#scope ? [this.#scope(key)] : []),
        );
        entries.push({ key, row, epoch, parked, change });
        sizes.push(json?.length ?? 0);
        bytes += json?.length ?? 0;
      }
      this.#advanceTo(checkpoint, change, this.#events + events);
      this.#commit.run();
    } catch (error) {
      if (this.#db.isOpen && this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw asReadModelError(error, this.#path);
    }
    this.#commits += 1;
    this.#change = change;
    this.#events += events;
    this.#checkpoint = checkpoint;
    this.#wal.committed(rows.length, bytes);
    // Only what is committed may be read.
    entries.forEach((entry, index) => {
      this.#keep(entry, sizes[index] ?? 0);
    });
    return entries;
  }

  #refuseRegression(checkpoint: Checkpoint): void {
    const stored = this.#checkpoint;
    if (stored === undefined) return;
    if (
      stored.logId !== checkpoint.logId ||
      comparePositions(checkpoint.position, stored.position) < 0
    ) {
      throw new CheckpointRegressionError(`the checkpoint of ${this.#path} never goes back`);
    }
  }

  #advanceTo(checkpoint: Checkpoint, change: number, events: number): void {
    const line = [this.#commits + 1, change, formatCheckpoint(checkpoint), events, this.#commits];
    if (this.#advance.run(...line).changes === 1) return;
    throw new UnusableReadModelError(
      'other',
      `another process writes ${this.#path}; let one server use a data directory`,
    );
  }

  #keep(entry: RowEntry<Row>, jsonLength: number): void {
    this.#cache.set(entry.key, entry, { size: jsonLength + ENTRY_BYTES });
  }

  #json(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw damaged(this.#path, error);
    }
  }

  #parse<T>(schema: z.ZodType<T>, value: unknown): T {
    const parsed = schema.safeParse(value);
    if (!parsed.success) throw damaged(this.#path, parsed.error);
    return parsed.data;
  }

  #parked(text: string): Parked {
    const { revision, ...rest } = this.#parse(parkedJson, this.#json(text));
    return { ...rest, revision: BigInt(revision) };
  }
}

function formatParked(parked: Parked): string {
  return JSON.stringify({ ...parked, revision: parked.revision.toString() });
}

/** A promise of what `call` returns; what it throws rejects. */
function settled<T>(call: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(call());
  });
}
