/**
 * The file of the embedded log: its format, how it is created, and what is checked before it
 * is used. A file is created whole or not at all, so an empty or short one is always damage
 * and never taken for a new log.
 */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { damaged, foreign, LogFileError, newer, unusable } from './log-file-error.js';
import { messageOf, SQLITE, sqliteCode } from './sqlite-errors.js';

/** "PlLg": marks a file as a log of this program. */
export const APPLICATION_ID = 0x506c4c67;
/** Raised when an older release could no longer read or write the file correctly. */
export const FORMAT_VERSION = 1;
/** Up to here the whole file is checked at open; a larger one would delay the start too long. */
const FULL_CHECK_BYTES = 64 * 1024 * 1024;

const TABLES: Readonly<Record<string, string>> = {
  log: 'CREATE TABLE log (id TEXT NOT NULL, created INTEGER NOT NULL) STRICT',
  streams: 'CREATE TABLE streams (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT',
  // The wide columns come last, so that scanning the narrow ones need not follow their overflow.
  events:
    'CREATE TABLE events (position INTEGER PRIMARY KEY, stream INTEGER NOT NULL, ' +
    'revision INTEGER NOT NULL, created INTEGER NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL, ' +
    'metadata TEXT NOT NULL, data TEXT NOT NULL, UNIQUE (stream, revision)) STRICT',
};

/** The path of the log in a directory. */
export function logPath(directory: string): string {
  return join(directory, 'log.db');
}

/** Makes the directory and those above it that are missing, each with its entry on disk: a log
 * is not kept if the way to it is lost. */
export function makeDirectory(directory: string): void {
  const first = mkdirSync(directory, { recursive: true });
  if (first === undefined) return;
  const top = dirname(resolve(first));
  for (let parent = dirname(resolve(directory)); ; parent = dirname(parent)) {
    sync(parent);
    if (parent === top || parent === dirname(parent)) return;
  }
}

/**
 * Creates an empty log if there is none. Call it with the lock held.
 *
 * @throws {LogFileError} the log is gone but its -wal is there; or the disk refuses
 */
export function createIfMissing(path: string): void {
  if (existsSync(path)) return;
  if (existsSync(`${path}-wal`)) throw damaged(path, 'it is missing, yet its -wal file is there');
  const fresh = `${path}.new`;
  try {
    // What a crashed creation left behind; it was never a log.
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(fresh + suffix, { force: true });
    initialise(fresh);
    sync(fresh);
    renameSync(fresh, path);
    sync(dirname(path));
  } catch (error) {
    throw unusable(path, error);
  }
}

function initialise(path: string): void {
  const db = new DatabaseSync(path);
  try {
    // auto_vacuum can only be chosen before the first table.
    db.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA synchronous = FULL; BEGIN');
    for (const sql of Object.values(TABLES)) db.exec(sql);
    db.prepare('INSERT INTO log (id, created) VALUES (?, ?)').run(randomUUID(), BigInt(Date.now()));
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORMAT_VERSION}`);
    db.exec('COMMIT; PRAGMA journal_mode = WAL');
  } finally {
    db.close();
  }
}

function sync(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Opens the log read-only and checks it. The file is never opened by other means than SQLite
 * (see {@link LogLock}), and never written here, so that a refused file stays as it is.
 *
 * @throws {LogFileError}
 */
export function openChecked(path: string): DatabaseSyncInstance {
  let db: DatabaseSyncInstance | undefined;
  try {
    const size = statSync(path).size;
    if (size === 0) throw damaged(path, 'it is empty');
    db = new DatabaseSync(path, { readOnly: true, timeout: 1_000 });
    check(db, path, size);
    return db;
  } catch (error) {
    db?.close();
    if (error instanceof LogFileError) throw error;
    const code = sqliteCode(error);
    const broken = code === SQLITE.CORRUPT || code === SQLITE.NOTADB;
    throw broken ? damaged(path, messageOf(error), error) : unusable(path, error);
  }
}

function check(db: DatabaseSyncInstance, path: string, size: number): void {
  if (pragma(db, 'application_id') !== APPLICATION_ID) throw foreign(path);
  const version = pragma(db, 'user_version');
  if (version > FORMAT_VERSION) throw newer(path, version, FORMAT_VERSION);
  if (version < 1) throw damaged(path, `format ${version}`);
  const find = db.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?");
  for (const [name, sql] of Object.entries(TABLES)) {
    if (text(find.get(name), 'sql') !== sql) throw damaged(path, `table ${name}`);
  }
  const pages = pragma(db, 'page_count') * pragma(db, 'page_size');
  // Without a -wal every page must lie in the file itself.
  if (!hasWal(path) && size < pages) throw damaged(path, `${size} of ${pages} bytes are there`);
  if (size <= FULL_CHECK_BYTES) {
    const found = text(db.prepare('PRAGMA quick_check(1)').get(), 'quick_check');
    if (found !== 'ok') throw damaged(path, found ?? 'no answer to quick_check');
  } else {
    // Both ends of the log, each through both of its trees.
    for (const order of ['ASC', 'DESC']) {
      const row: unknown = db
        .prepare(
          'SELECT length(e.data) + length(s.name) AS n FROM events e ' +
            `JOIN streams s ON s.id = e.stream ORDER BY e.position ${order} LIMIT 1`,
        )
        .get();
      if (row === undefined) throw damaged(path, 'it is large, yet holds no event');
    }
  }
  const id = text(db.prepare('SELECT id FROM log').get(), 'id');
  if (id === undefined) throw damaged(path, 'it has no id');
}

function hasWal(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function pragma(db: DatabaseSyncInstance, name: string): number {
  const row: unknown = db.prepare(`PRAGMA ${name}`).get();
  const value: unknown =
    typeof row === 'object' && row !== null ? Object.values(row)[0] : undefined;
  return typeof value === 'number' ? value : -1;
}

function text(row: unknown, column: string): string | undefined {
  if (typeof row !== 'object' || row === null) return undefined;
  const value: unknown = Object.entries(row).find(([name]) => name === column)?.[1];
  return typeof value === 'string' ? value : undefined;
}
