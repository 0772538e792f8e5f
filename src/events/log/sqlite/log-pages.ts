/**
 * Reads the log's file by pages, on a connection of its own that cannot write. A page is read
 * in one go, so no read transaction outlives it and the -wal can always be reset.
 */
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { UnavailableError } from '../errors.js';
import type { StoredEvent } from '../event-log.js';
import { messageOf } from './sqlite-errors.js';
import { EVENT_COLUMNS, eventOf } from './stored-row.js';

/** How much a page may hold. */
export interface PageBounds {
  readonly maxEvents: number;
  /** A single larger event still comes, alone. */
  readonly maxBytes: number;
}

/** A page of one stream. */
export interface StreamPage {
  readonly events: StoredEvent[];
  /** The stream has no more in this direction. */
  readonly end: boolean;
}

/** A page of the whole log. */
export interface LogPage {
  readonly events: StoredEvent[];
  /** Everything up to here was seen. */
  readonly checkpoint: bigint;
  /** Nothing lies after `checkpoint`. */
  readonly end: boolean;
}

/** Rows a page looks at, also where most belong to other streams. */
const ROWS_A_PAGE = 500;
const MAX_INTEGER = 2n ** 63n - 1n;
const FROM = 'FROM events e JOIN streams s ON s.id = e.stream';

export class LogPages {
  readonly #db: DatabaseSyncInstance;
  readonly #all: StatementSyncInstance;
  readonly #forwards: StatementSyncInstance;
  readonly #backwards: StatementSyncInstance;
  readonly #head: StatementSyncInstance;

  /** Takes the connection over. It is kept for as long as the statements are used: they do not
   * keep it open by themselves. */
  constructor(db: DatabaseSyncInstance) {
    this.#db = db;
    const stream = '(SELECT id FROM streams WHERE name = ?)';
    this.#all = this.#query(
      `SELECT ${EVENT_COLUMNS} ${FROM} WHERE e.position > ? ORDER BY e.position LIMIT ?`,
    );
    this.#forwards = this.#query(
      `SELECT ${EVENT_COLUMNS} ${FROM} WHERE e.stream = ${stream} AND e.revision >= ? ` +
        'ORDER BY e.revision LIMIT ?',
    );
    this.#backwards = this.#query(
      `SELECT ${EVENT_COLUMNS} ${FROM} WHERE e.stream = ${stream} AND e.revision <= ? ` +
        'ORDER BY e.revision DESC LIMIT ?',
    );
    this.#head = this.#query('SELECT ifnull(max(position), 0) FROM events');
  }

  /** Events of one stream from a revision on, in a direction. */
  ofStream(
    stream: string,
    direction: 'forwards' | 'backwards',
    from: bigint,
    bounds: PageBounds,
  ): StreamPage {
    const statement = direction === 'forwards' ? this.#forwards : this.#backwards;
    return this.#guarded(() => {
      const events: StoredEvent[] = [];
      let bytes = 0;
      for (const row of statement.iterate(stream, clamped(from), BigInt(bounds.maxEvents))) {
        const event = whole(row);
        bytes += event.bytes;
        if (events.length > 0 && bytes > bounds.maxBytes) return { events, end: false };
        events.push(event);
      }
      return { events, end: events.length < bounds.maxEvents };
    });
  }

  /** Events of all streams with a prefix, after a position. */
  ofLog(after: bigint, prefix: string, bounds: PageBounds): LogPage {
    return this.#guarded(() => {
      const events: StoredEvent[] = [];
      let checkpoint = after;
      let rows = 0;
      let bytes = 0;
      let full = false;
      for (const row of this.#all.iterate(clamped(after), BigInt(ROWS_A_PAGE))) {
        const event = whole(row);
        bytes += event.bytes;
        full = events.length >= bounds.maxEvents || (rows > 0 && bytes > bounds.maxBytes);
        if (full) break;
        rows += 1;
        checkpoint = event.position.commit;
        if (event.stream.startsWith(prefix)) events.push(event);
      }
      return { events, checkpoint, end: !full && rows < ROWS_A_PAGE };
    });
  }

  /** The position of the last event, 0 when there is none. */
  head(): bigint {
    return this.#guarded(() => {
      const row: unknown = this.#head.get();
      const head: unknown = Array.isArray(row) ? row[0] : undefined;
      if (typeof head !== 'bigint') throw new TypeError('no head');
      return head;
    });
  }

  /** The id of the log. */
  logId(): string {
    return this.#guarded(() => {
      const row: unknown = this.#query('SELECT id FROM log').get();
      const id: unknown = Array.isArray(row) ? row[0] : undefined;
      if (typeof id !== 'string') throw new TypeError('no log id');
      return id;
    });
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }

  #query(sql: string): StatementSyncInstance {
    const statement = this.#db.prepare(sql);
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
    return statement;
  }

  /** Whatever goes wrong while reading is damage or a dying disk: the log cannot go on. */
  #guarded<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw new UnavailableError('failed', `the log cannot be read: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }
}

/** Callers may name any number; SQLite's integers have 64 bits. */
function clamped(value: bigint): bigint {
  if (value > MAX_INTEGER) return MAX_INTEGER;
  return value < -1n ? -1n : value;
}

function whole(row: unknown): StoredEvent {
  const event = eventOf(row);
  if (event === undefined) throw new TypeError('an event is not whole');
  return event;
}
