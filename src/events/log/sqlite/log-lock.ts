/**
 * One process writes a log. The lock is SQLite's exclusive lock on a file of its own: the
 * kernel frees it when the process dies, however it dies, so nothing stale is left behind.
 *
 * Nothing may open `log.lock` by other means than SQLite while it is held: on POSIX, closing
 * any other descriptor of a file drops the process's locks on it.
 */
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { inUse, unusable } from './log-file-error.js';
import { SQLITE, sqliteCode } from './sqlite-errors.js';

/** Held until `release()`, or until the process is gone. */
export class LogLock {
  readonly #db: DatabaseSyncInstance;

  private constructor(db: DatabaseSyncInstance) {
    this.#db = db;
  }

  /** @throws {LogFileError} `log_in_use`, at once */
  static acquire(directory: string): LogLock {
    const path = join(directory, 'log.lock');
    let db: DatabaseSyncInstance | undefined;
    try {
      db = new DatabaseSync(path, { timeout: 0 });
      // Nothing is ever written to it, so it needs no journal beside it.
      db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
      return new LogLock(db);
    } catch (error) {
      db?.close();
      throw sqliteCode(error) === SQLITE.BUSY ? inUse(directory) : unusable(path, error);
    }
  }

  release(): void {
    if (this.#db.isOpen) this.#db.close();
  }
}
