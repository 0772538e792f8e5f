/** Opens the embedded event log: takes the lock, creates or checks the file, starts the writer. */
import { realpathSync } from 'node:fs';
import { createIfMissing, logPath, makeDirectory, openChecked } from './log-file.js';
import { unusable } from './log-file-error.js';
import { LogLock } from './log-lock.js';
import type { SqliteEventLogOptions } from './log-options.js';
import { LogPages } from './log-pages.js';
import { SqliteEventLog } from './sqlite-event-log.js';

/**
 * Opens the embedded log, and creates it where there is none.
 *
 * @throws {LogFileError} it is in use, newer, damaged, foreign or cannot be used; the file is
 * then left as it is
 */
export async function openSqliteEventLog(options: SqliteEventLogOptions): Promise<SqliteEventLog> {
  let directory = options.directory;
  try {
    makeDirectory(directory);
    directory = realpathSync(directory);
  } catch (error) {
    throw unusable(directory, error);
  }
  const lock = LogLock.acquire(directory);
  let pages: LogPages | undefined;
  try {
    const path = logPath(directory);
    createIfMissing(path);
    pages = new LogPages(openChecked(path));
    const log = new SqliteEventLog(lock, pages, options);
    await log.start(path, options.writerEntry);
    return log;
  } catch (error) {
    pages?.close();
    lock.release();
    throw error;
  }
}
