/** The layout of a read model's file, and how one is recognised or made. */
import { closeSync, openSync, readSync } from 'node:fs';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { UnusableReadModelError, type RowShape } from '../read-model.js';

/** "PLRM". Says whose file it is. */
const APPLICATION_ID = 0x504c524d;
const FORMAT = 1;
const HEADER = 'SQLite format 3\0';

/** SQLITE_CORRUPT, SQLITE_NOTADB. */
const DAMAGE = new Set([11, 26]);

/** Opens the file, and lays it out where it is new. */
export function openFile<Row>(
  path: string,
  shape: RowShape<Row>,
  generation: number,
): DatabaseSyncInstance {
  if (!isPlausible(path)) throw damaged(path);
  const db = new DatabaseSync(path);
  try {
    const isNew = recognise(db, path);
    db.exec('PRAGMA journal_mode = WAL');
    // Derived data, atomic with its checkpoint: a lost tail is folded again.
    db.exec('PRAGMA synchronous = NORMAL');
    // A checkpoint here would stall the event loop: WalKeeper does it long before 64 MiB.
    db.exec('PRAGMA wal_autocheckpoint = 16000');
    db.exec('PRAGMA busy_timeout = 250');
    if (isNew) layOut(db, shape, generation);
    checkOwner(db, path, shape, generation);
    return db;
  } catch (error) {
    db.close();
    throw asReadModelError(error, path);
  }
}

/** Has the connection do its own checkpoints, at 16 MiB: better a stall than a -wal that grows. */
export function checkpointHere(db: DatabaseSyncInstance): void {
  if (db.isOpen) db.exec('PRAGMA wal_autocheckpoint = 4000');
}

/** The column a row's value is kept in. */
export function columnName(name: string): string {
  return `c_${name}`;
}

/** An SQLite error as the port's own where it says that the file is damaged. */
export function asReadModelError(error: unknown, path: string): unknown {
  // In some hosts the driver's errors are of another realm, so not instanceof Error.
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return error;
  if (typeof error.errcode !== 'number' || !DAMAGE.has(error.errcode & 0xff)) return error;
  return damaged(path, error);
}

export function damaged(path: string, cause?: unknown): UnusableReadModelError {
  return new UnusableReadModelError('damaged', `read model ${path} is damaged; ${remedy(path)}`, {
    cause,
  });
}

function remedy(path: string): string {
  return `stop the server, delete ${path} with its -wal and -shm, and it is rebuilt from the log`;
}

/** SQLite takes a short file of anything for an empty database, and would write over it. */
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

/** True where there is nothing yet. */
function recognise(db: DatabaseSyncInstance, path: string): boolean {
  const owner = pragma(db, 'application_id');
  const format = pragma(db, 'user_version');
  if (owner === 0 && format === 0 && pragma(db, 'schema_version') === 0) return true;
  if (owner !== APPLICATION_ID) {
    throw new UnusableReadModelError(
      'other',
      `${path} is no read model; move it away, or choose another data directory`,
    );
  }
  if (format > FORMAT) {
    throw new UnusableReadModelError(
      'newer',
      `read model ${path} was written by a newer release (format ${format}, this one knows ` +
        `${FORMAT}); run that release, or ${remedy(path)}`,
    );
  }
  return false;
}

function layOut<Row>(db: DatabaseSyncInstance, shape: RowShape<Row>, generation: number): void {
  const columns = (shape.columns ?? []).map(
    ({ name, type }) => `, ${columnName(name)} ${type === 'text' ? 'TEXT' : 'INTEGER'}`,
  );
  db.exec(`
    BEGIN IMMEDIATE;
    CREATE TABLE generation (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      name TEXT NOT NULL,
      version INTEGER NOT NULL,
      generation INTEGER NOT NULL,
      commits INTEGER NOT NULL,
      change INTEGER NOT NULL,
      checkpoint TEXT
    );
    CREATE TABLE rows (
      key TEXT PRIMARY KEY,
      row TEXT,
      epoch INTEGER NOT NULL,
      parked TEXT,
      change INTEGER NOT NULL
      ${columns.join('')}
    );
    CREATE INDEX rows_parked ON rows (key) WHERE parked IS NOT NULL;
    PRAGMA application_id = ${APPLICATION_ID};
    PRAGMA user_version = ${FORMAT};
  `);
  db.prepare('INSERT INTO generation VALUES (1, ?, ?, ?, 0, 0, NULL)').run(
    shape.name,
    shape.version,
    generation,
  );
  db.exec('COMMIT');
}

function checkOwner<Row>(
  db: DatabaseSyncInstance,
  path: string,
  shape: RowShape<Row>,
  generation: number,
): void {
  const found: unknown = db
    .prepare(
      'SELECT count(*) AS found FROM generation WHERE name = ? AND version = ? AND generation = ?',
    )
    .get(shape.name, shape.version, generation);
  if (numberIn(found, 'found') === 1) return;
  throw new UnusableReadModelError(
    'other',
    `${path} holds another projection than ${shape.name} version ${shape.version} ` +
      `generation ${generation}; move it away, and it is rebuilt from the log`,
  );
}

function pragma(db: DatabaseSyncInstance, name: string): number {
  const row: unknown = db.prepare(`PRAGMA ${name}`).get();
  return numberIn(row, name) ?? 0;
}

function numberIn(row: unknown, name: string): number | undefined {
  if (typeof row !== 'object' || row === null) return undefined;
  const value: unknown = Reflect.get(row, name);
  return typeof value === 'number' ? value : undefined;
}
