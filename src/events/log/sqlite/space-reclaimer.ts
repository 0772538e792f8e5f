/**
 * Truncates streams and gives the space back to the file system, in steps short enough that
 * appends pass between them.
 */
import { largest, type WriterDb, type WriterStatement } from './log-writer.js';
import { messageOf, SQLITE, sqliteCode } from './sqlite-errors.js';
import type { TruncateReply, TruncateRequest } from './writer-messages.js';

/** Events removed in one transaction. */
const EVENTS_A_STEP = 100n;
/** Pages given back in one transaction. */
const PAGES_A_STEP = 256;
/** Free pages that are kept: the next appends use them. */
const PAGES_KEPT = 64n;

export class SpaceReclaimer {
  readonly #db: WriterDb;
  readonly #reply: (reply: TruncateReply) => void;
  readonly #remove: WriterStatement;
  readonly #requests: TruncateRequest[] = [];
  #shrink = false;

  constructor(db: WriterDb, reply: (reply: TruncateReply) => void) {
    this.#db = db;
    this.#reply = reply;
    this.#remove = db.prepare(
      'DELETE FROM events WHERE position IN (SELECT position FROM events ' +
        'WHERE stream = ? AND revision < ? ORDER BY revision LIMIT ?)',
    );
  }

  /** Whether truncations wait: these a closing log still settles. */
  get hasRequests(): boolean {
    return this.#requests.length > 0;
  }

  /** Whether `step()` has anything to do. */
  get hasWork(): boolean {
    return this.hasRequests || this.#shrink;
  }

  truncate(request: TruncateRequest): void {
    this.#requests.push(request);
  }

  /** One bounded piece of work. */
  step(): void {
    const request = this.#requests[0];
    if (request !== undefined) this.#removeSome(request);
    else if (this.#shrink) this.#shrinkSome();
  }

  #removeSome(request: TruncateRequest): void {
    const { stream, before, ticket } = request;
    try {
      const id = largest(this.#db, 'SELECT ifnull(max(id), 0) FROM streams WHERE name = ?', stream);
      const head = largest(
        this.#db,
        'SELECT ifnull(max(revision), -1) FROM events WHERE stream = ?',
        id,
      );
      const end = before <= 0n ? 0n : before < head ? before : head;
      const left = largest(
        this.#db,
        'SELECT count(*) FROM (SELECT 1 FROM events WHERE stream = ? AND revision < ? LIMIT ?)',
        id,
        end,
        EVENTS_A_STEP + 1n,
      );
      if (left > 0n) this.#remove.run(id, end, EVENTS_A_STEP);
      if (left > EVENTS_A_STEP) return;
      if (left > 0n) this.#shrink = true;
      this.#requests.shift();
      this.#reply({ kind: 'truncated', ticket, before: end });
    } catch (error) {
      const code = sqliteCode(error);
      const fatal = code !== SQLITE.FULL && code !== SQLITE.BUSY;
      this.#requests.shift();
      this.#reply({
        kind: 'truncated',
        ticket,
        before: 0n,
        error: { fatal, message: messageOf(error) },
      });
    }
  }

  /** Space not given back now is given back after the next truncation: no error matters. */
  #shrinkSome(): void {
    try {
      if (largest(this.#db, 'PRAGMA freelist_count') > PAGES_KEPT) {
        this.#db.exec(`PRAGMA incremental_vacuum(${PAGES_A_STEP})`);
        return;
      }
      this.#shrink = false;
      // Only now does the file itself become shorter. Readers hold a page for a moment only;
      // one that is slow must not hold up the appends behind this.
      this.#db.exec('PRAGMA busy_timeout = 20; PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      this.#shrink = false;
    } finally {
      this.#db.exec('PRAGMA busy_timeout = 1000');
    }
  }
}
