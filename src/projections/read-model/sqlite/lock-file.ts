/**
 * A lock over all processes of a machine: SQLite's exclusive lock on a file of its own. The
 * kernel frees it when its holder dies, however it dies, so nothing stale is left behind.
 */
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { ReadModelLockedError } from '../read-model.js';
import { isBusy } from './sqlite-file.js';

/**
 * @param name such as `session-todos.v1`; the file is named after it
 * @returns frees it; may be called again
 * @throws {ReadModelLockedError} somebody holds it, at once
 */
export function lockFile(directory: string, name: string): () => void {
  const path = join(directory, `${name}.lock`);
  let db: DatabaseSyncInstance | undefined;
  try {
    // The file is opened by no other means than SQLite: see openIfPlausible.
    db = new DatabaseSync(path, { timeout: 0 });
    // Nothing is ever written to it, so it needs no journal beside it.
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    db?.close();
    throw isBusy(error) ? new ReadModelLockedError(name, { cause: error }) : error;
  }
  const held = db;
  return () => {
    if (held.isOpen) held.close();
  };
}
