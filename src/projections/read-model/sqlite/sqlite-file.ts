/** What every SQLite file of the read models has in common. */
import { closeSync, fsyncSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';

const HEADER = 'SQLite format 3\0';

/** SQLITE_CORRUPT, SQLITE_NOTADB. */
const DAMAGE = new Set([11, 26]);
const BUSY = 5;

/** True for an error that says that the file is damaged. */
export function isDamage(error: unknown): boolean {
  const code = primaryCode(error);
  return code !== undefined && DAMAGE.has(code);
}

/** True for an error that says that another connection holds a lock. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === BUSY;
}

/** In some hosts the driver's errors are of another realm, so not instanceof Error. */
function primaryCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}

/** How often each file is open in this process. */
const open = new Map<string, number>();

/**
 * Opens a file of SQLite's, unless it is something else. A -wal beside it could hide that for a
 * while: SQLite would read the first page from there.
 *
 * @returns undefined where the file is no database; it is left as it is
 */
export function openIfPlausible(path: string): DatabaseSyncInstance | undefined {
  const file = resolve(path);
  // Closing a descriptor of a file drops all locks that the process holds on it, so a file that
  // is open here is not looked at: it was when it was opened.
  if (!open.has(file) && !isPlausible(file)) return undefined;
  const db = new DatabaseSync(path);
  open.set(file, (open.get(file) ?? 0) + 1);
  return db;
}

/** Closes what {@link openIfPlausible} opened. May be called again. */
export function closeFile(db: DatabaseSyncInstance, path: string): void {
  if (!db.isOpen) return;
  db.close();
  const file = resolve(path);
  const left = (open.get(file) ?? 1) - 1;
  if (left > 0) open.set(file, left);
  else open.delete(file);
}

function isPlausible(path: string): boolean {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    // Missing, or SQLite will say what is wrong with it.
    return true;
  }
  try {
    const start = Buffer.alloc(HEADER.length);
    const bytes = readSync(file, start, 0, start.length, 0);
    return bytes === 0 || start.toString('latin1') === HEADER;
  } finally {
    closeSync(file);
  }
}

/** Writes a -wal through to the disk. Not for the database itself: see {@link openIfPlausible}. */
export function syncFile(wal: string): void {
  const file = openSync(wal, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** A number that SQLite keeps of the database, 0 where it has none. */
export function pragma(db: DatabaseSyncInstance, name: string): number {
  const row: unknown = db.prepare(`PRAGMA ${name}`).get();
  return numberIn(row, name) ?? 0;
}

/** A number of a row. */
export function numberIn(row: unknown, name: string): number | undefined {
  if (typeof row !== 'object' || row === null) return undefined;
  const value: unknown = Reflect.get(row, name);
  return typeof value === 'number' ? value : undefined;
}
