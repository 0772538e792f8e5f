/**
 * Commits batches of appends: one transaction, one sync, each append with its own expected
 * revision and its own result. Plain synchronous code over a connection; the thread that it
 * runs in is `run-writer.ts`.
 */
import { LRUCache } from 'lru-cache';
import { messageOf, SQLITE, sqliteCode } from './sqlite-errors.js';
import type { AppendBatch, AppendException, BatchReply } from './writer-messages.js';

/** The part of a connection the writer uses; tests put faults into one. */
export interface WriterDb {
  readonly isTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): WriterStatement;
  close(): void;
}

export interface WriterStatement {
  run(...values: (string | bigint)[]): unknown;
  get(...values: (string | bigint)[]): unknown;
  all(...values: (string | bigint)[]): unknown[];
  setReadBigInts(on: boolean): void;
  setReturnArrays(on: boolean): void;
}

/** A stream's last event. */
interface StreamHead {
  readonly id: bigint;
  readonly revision: bigint;
}

/** The lock was got round, such as by deleting its file under a running server. */
const OTHER_WRITER =
  'another process has written it, though one alone may; stop all but one, and start that again';

/** Streams whose head is kept in memory, which saves a look-up an append. */
const CACHED_HEADS = 20_000;

export class LogWriter {
  readonly #db: WriterDb;
  readonly #begin: WriterStatement;
  readonly #commit: WriterStatement;
  readonly #rollback: WriterStatement;
  readonly #findHead: WriterStatement;
  readonly #findIds: WriterStatement;
  readonly #addStream: WriterStatement;
  readonly #addEvent: WriterStatement;
  readonly #heads = new LRUCache<string, StreamHead>({ max: CACHED_HEADS });
  readonly #findVersion: WriterStatement;
  #position: bigint;
  #lastStream: bigint;
  /** Changes when another connection commits: none but this one may. */
  #version: bigint;

  constructor(db: WriterDb) {
    this.#db = db;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#rollback = db.prepare('ROLLBACK');
    this.#findHead = query(
      db,
      'SELECT id, (SELECT max(revision) FROM events WHERE stream = streams.id) FROM streams ' +
        'WHERE name = ?',
    );
    this.#findIds = query(
      db,
      'SELECT id, revision, position FROM events ' +
        'WHERE stream = ? AND revision > ? AND revision <= ? ORDER BY revision',
    );
    this.#addStream = db.prepare('INSERT INTO streams (id, name) VALUES (?, ?)');
    this.#addEvent = db.prepare(
      'INSERT INTO events (position, stream, revision, created, id, type, data, metadata) ' +
        'VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#findVersion = query(db, 'PRAGMA data_version');
    this.#version = this.#versionNow();
    // The last event of the log is the last of its stream, which is never truncated: the
    // counter survives in the file without a table of its own.
    this.#position = largest(db, 'SELECT ifnull(max(position), 0) FROM events');
    this.#lastStream = largest(db, 'SELECT ifnull(max(id), 0) FROM streams');
  }

  /** Stores the batch, or says why not. Never throws. */
  append(batch: AppendBatch): BatchReply {
    const position = this.#position;
    const lastStream = this.#lastStream;
    const created = Date.now();
    let committing = false;
    try {
      this.#begin.run();
      // Only now can nobody else write: what is kept in memory holds, or it does not.
      if (this.#versionNow() !== this.#version) throw new Error(OTHER_WRITER);
      const exceptions = this.#appendAll(batch, BigInt(created));
      committing = true;
      this.#commit.run();
      return { kind: 'stored', first: position + 1n, created, exceptions };
    } catch (error) {
      this.#position = position;
      this.#lastStream = lastStream;
      this.#heads.clear();
      return this.#failure(error, committing);
    }
  }

  #versionNow(): bigint {
    const row = this.#findVersion.get();
    return integer(Array.isArray(row) ? row[0] : row);
  }

  #failure(error: unknown, committing: boolean): BatchReply {
    const message = messageOf(error);
    const code = sqliteCode(error);
    const passes = code === SQLITE.FULL || code === SQLITE.BUSY;
    // After a failed sync nobody knows what is on the disk, and asking again would be told
    // that all is well: the kernel reports the loss of a page once.
    if (committing && !passes) return { kind: 'unknown', message };
    return { kind: 'refused', fatal: !this.#rolledBack() || !passes, message };
  }

  #rolledBack(): boolean {
    try {
      if (this.#db.isTransaction) this.#rollback.run();
      return !this.#db.isTransaction;
    } catch {
      return false;
    }
  }

  #appendAll(batch: AppendBatch, created: bigint): AppendException[] {
    const exceptions: AppendException[] = [];
    let offset = 0;
    for (const [index, stream] of batch.streams.entries()) {
      const end = offset + 4 * (batch.counts[index] ?? 0);
      const expected = batch.expected[index] ?? null;
      const head = this.#head(stream);
      if ((head?.revision ?? null) === expected) {
        this.#store(stream, head, batch.events, offset, end, created);
      } else {
        exceptions.push(this.#explain(index, head, expected, batch.events.slice(offset, end)));
      }
      offset = end;
    }
    return exceptions;
  }

  #store(
    stream: string,
    head: StreamHead | undefined,
    events: readonly string[],
    from: number,
    end: number,
    created: bigint,
  ): void {
    const id = head?.id ?? ++this.#lastStream;
    if (head === undefined) this.#addStream.run(id, stream);
    let revision = head?.revision ?? -1n;
    for (let at = from; at < end; at += 4) {
      this.#addEvent.run(
        ++this.#position,
        id,
        ++revision,
        created,
        events[at] ?? '',
        events[at + 1] ?? '',
        events[at + 2] ?? '',
        events[at + 3] ?? '',
      );
    }
    this.#heads.set(stream, { id, revision });
  }

  /** The head is not the expected one: the same events again, or a conflict. */
  #explain(
    index: number,
    head: StreamHead | undefined,
    expected: bigint | null,
    events: readonly string[],
  ): AppendException {
    if (head === undefined) return { index, kind: 'conflict', actual: null };
    const conflict = { index, kind: 'conflict', actual: head.revision } as const;
    const before = expected ?? -1n;
    const count = events.length / 4;
    if ((expected ?? 0n) < 0n) return conflict;
    if (before + BigInt(count) > head.revision) return conflict;
    const rows = this.#findIds.all(head.id, before, before + BigInt(count)).map(idRow);
    const last = rows.at(-1);
    if (rows.length !== count || last === undefined) return conflict;
    if (rows.some((row, at) => row.id !== events[4 * at])) return conflict;
    return { index, kind: 'repeat', revision: last.revision, position: last.position };
  }

  #head(stream: string): StreamHead | undefined {
    const known = this.#heads.get(stream);
    if (known !== undefined) return known;
    const row = this.#findHead.get(stream);
    if (!Array.isArray(row)) return undefined;
    const cells: readonly unknown[] = row;
    const [id, revision] = cells;
    const head = { id: integer(id), revision: integer(revision) };
    this.#heads.set(stream, head);
    return head;
  }
}

/** A statement whose rows are arrays and whose integers are bigints. */
export function query(db: WriterDb, sql: string): WriterStatement {
  const statement = db.prepare(sql);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  return statement;
}

/** The one integer a query returns. */
export function largest(db: WriterDb, sql: string, ...values: (string | bigint)[]): bigint {
  const row = query(db, sql).get(...values);
  return integer(Array.isArray(row) ? row[0] : row);
}

function idRow(row: unknown): { id: string; revision: bigint; position: bigint } {
  const cells: readonly unknown[] = Array.isArray(row) ? row : [];
  const [id, revision, position] = cells;
  return { id: String(id), revision: integer(revision), position: integer(position) };
}

function integer(value: unknown): bigint {
  if (typeof value !== 'bigint') throw new TypeError('the file holds no integer where it must');
  return value;
}
