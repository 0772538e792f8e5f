/** The layout of a projection's catalogue, `<name>.catalog.db`, and how one is recognised or made. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { UnusableReadModelError } from '../read-model.js';
import { closeFile, isDamage, openIfPlausible, pragma } from './sqlite-file.js';

/** "PLCT". Says whose file it is. */
const APPLICATION_ID = 0x504c4354;
const FORMAT = 1;
/** Other processes write it, too: jobs and commands. Each of their transactions is short. */
const BUSY_MS = 5_000;

const TABLES = `
  CREATE TABLE projection (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    name TEXT NOT NULL,
    paused INTEGER NOT NULL,
    last_generation INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE generations (
    generation INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    state TEXT NOT NULL,
    started_at TEXT NOT NULL,
    problem TEXT,
    epoch_base INTEGER NOT NULL,
    change_base INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX one_is_served ON generations (version) WHERE state = 'serving';
  CREATE TABLE discards (
    number INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    stream TEXT NOT NULL,
    revision TEXT NOT NULL,
    event_id TEXT NOT NULL,
    at TEXT NOT NULL,
    UNIQUE (stream, revision, event_id)
  ) STRICT;
`;

/** Such as `session-todos.catalog.db`. */
export function catalogFile(name: string): string {
  return `${name}.catalog.db`;
}

/**
 * Opens a projection's catalogue, and makes it where there is none. A new one adopts what an
 * earlier release has left: its only generation, number 1, which it served.
 *
 * @throws {UnusableReadModelError} the file is damaged, newer, or something else; it is left
 */
export function openCatalogFile(directory: string, name: string): DatabaseSyncInstance {
  const path = join(directory, catalogFile(name));
  const db = openIfPlausible(path);
  if (db === undefined) throw damagedCatalog(path);
  try {
    db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    db.exec('PRAGMA journal_mode = WAL');
    // Not derived: what a person has decided must outlive a power cut.
    db.exec('PRAGMA synchronous = FULL');
    // Two processes may find it empty: the second waits for the first, then looks again.
    db.exec('BEGIN IMMEDIATE');
    if (isNew(db, path)) layOut(db, directory, name);
    db.exec('COMMIT');
    checkOwner(db, path, name);
    return db;
  } catch (error) {
    closeFile(db, path);
    throw asCatalogError(error, path);
  }
}

/** An SQLite error as the port's own where it says that the file is damaged. */
export function asCatalogError(error: unknown, path: string): unknown {
  return isDamage(error) ? damagedCatalog(path, error) : error;
}

export function damagedCatalog(path: string, cause?: unknown): UnusableReadModelError {
  return new UnusableReadModelError(
    'damaged',
    `catalogue ${path} is damaged; stop the server and restore it from a backup, or delete it ` +
      'with its -wal and -shm: the read model is then built anew, but pauses and discards are lost',
    { cause },
  );
}

function isNew(db: DatabaseSyncInstance, path: string): boolean {
  const owner = pragma(db, 'application_id');
  const format = pragma(db, 'user_version');
  if (owner === 0 && format === 0 && pragma(db, 'schema_version') === 0) return true;
  if (owner !== APPLICATION_ID) {
    throw new UnusableReadModelError(
      'other',
      `${path} is no catalogue of a projection; move it away, or choose another data directory`,
    );
  }
  if (format > FORMAT) {
    throw new UnusableReadModelError(
      'newer',
      `catalogue ${path} was written by a newer release (format ${format}, this one knows ` +
        `${FORMAT}); run that release`,
    );
  }
  return false;
}

function layOut(db: DatabaseSyncInstance, directory: string, name: string): void {
  db.exec(TABLES);
  db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORMAT}`);
  const version = firstGenerationOf(directory, name);
  db.prepare('INSERT INTO projection VALUES (1, ?, 0, ?)').run(name, version === undefined ? 0 : 1);
  if (version === undefined) return;
  db.prepare("INSERT INTO generations VALUES (1, ?, 'serving', ?, NULL, 0, 0)").run(
    version,
    new Date().toISOString(),
  );
}

/** The version of the first generation's file, where there is one; the newest of several. */
function firstGenerationOf(directory: string, name: string): number | undefined {
  const versions = readdirSync(directory).flatMap((file) => {
    const version = file.startsWith(`${name}.v`)
      ? /^([1-9][0-9]{0,8})\.g1\.db$/.exec(file.slice(name.length + 2))?.[1]
      : undefined;
    return version === undefined ? [] : [Number(version)];
  });
  return versions.length === 0 ? undefined : Math.max(...versions);
}

function checkOwner(db: DatabaseSyncInstance, path: string, name: string): void {
  const found: unknown = db.prepare('SELECT 1 FROM projection WHERE name = ?').get(name);
  if (found !== undefined) return;
  throw new UnusableReadModelError(
    'other',
    `${path} is the catalogue of another projection than ${name}; move it away`,
  );
}
