/** The layout of a read model's file, and how one is recognised or made. */
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { UnusableReadModelError, type RowShape } from '../read-model.js';
import { closeFile, isDamage, numberIn, openIfPlausible, pragma } from './sqlite-file.js';

/** "PLRM". Says whose file it is. */
const APPLICATION_ID = 0x504c524d;
const FORMAT = 1;

/** Few rows have such an epoch: it costs nothing, and finds the greatest one at once. */
const RAISED_INDEX = 'CREATE INDEX IF NOT EXISTS rows_raised ON rows (epoch) WHERE epoch > 0';

/** Opens the file, and lays it out where it is new. */
export function openFile<Row>(
  path: string,
  shape: RowShape<Row>,
  generation: number,
): DatabaseSyncInstance {
  const db = openIfPlausible(path);
  if (db === undefined) throw damaged(path);
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
    if (!isNew) addWhatIsMissing(db);
    return db;
  } catch (error) {
    closeFile(db, path);
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
  return isDamage(error) ? damaged(path, error) : error;
}

export function damaged(path: string, cause?: unknown): UnusableReadModelError {
  return new UnusableReadModelError('damaged', `read model ${path} is damaged; ${remedy(path)}`, {
    cause,
  });
}

function remedy(path: string): string {
  return `stop the server, delete ${path} with its -wal and -shm, and it is rebuilt from the log`;
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
  const scoped = shape.scope !== undefined;
  db.exec(`
    BEGIN IMMEDIATE;
    CREATE TABLE generation (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      name TEXT NOT NULL,
      version INTEGER NOT NULL,
      generation INTEGER NOT NULL,
      commits INTEGER NOT NULL,
      change INTEGER NOT NULL,
      checkpoint TEXT,
      events INTEGER NOT NULL DEFAULT 0
    );
    CREATE TABLE rows (
      key TEXT PRIMARY KEY,
      row TEXT,
      epoch INTEGER NOT NULL,
      parked TEXT,
      change INTEGER NOT NULL
      ${scoped ? ', scope TEXT NOT NULL' : ''}
      ${columns.join('')}
    );
    CREATE INDEX rows_parked ON rows (key) WHERE parked IS NOT NULL;
    ${RAISED_INDEX};
    ${scoped ? queryIndexes(shape) : ''}
    PRAGMA application_id = ${APPLICATION_ID};
    PRAGMA user_version = ${FORMAT};
  `);
  db.prepare('INSERT INTO generation VALUES (1, ?, ?, ?, 0, 0, NULL, 0)').run(
    shape.name,
    shape.version,
    generation,
  );
  db.exec('COMMIT');
}

/** Files of the first release lack it; that release goes on to work with files that have it. */
function addWhatIsMissing(db: DatabaseSyncInstance): void {
  const events: unknown = db
    .prepare("SELECT 1 FROM pragma_table_info('generation') WHERE name = 'events'")
    .get();
  if (events === undefined) {
    db.exec('ALTER TABLE generation ADD COLUMN events INTEGER NOT NULL DEFAULT 0');
  }
  db.exec(RAISED_INDEX);
}

/**
 * One index in the order of keys that holds all columns, and one in the order of changes: two
 * entries for each write, where an index for each column would be as many as there are columns.
 */
function queryIndexes<Row>({ columns = [] }: RowShape<Row>): string {
  const narrow = ['scope', 'key', ...columns.map(({ name }) => columnName(name))];
  return `
    CREATE INDEX rows_columns ON rows (${narrow.join()});
    CREATE INDEX rows_change ON rows (scope, change);`;
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
