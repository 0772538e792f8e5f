/** Read models in SQLite: one file for each generation and one for each catalogue, in one directory. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ReadModel, ReadModels, RowSet, RowShape } from '../read-model.js';
import { catalogFile, openCatalogFile } from './catalog-format.js';
import { checkpointHere, openFile } from './file-format.js';
import { lockFile } from './lock-file.js';
import { readProgress } from './read-progress.js';
import { closeFile } from './sqlite-file.js';
import { SqliteProjectionCatalog } from './sqlite-projection-catalog.js';
import { SqliteReadModel, type RowCacheLimits } from './sqlite-read-model.js';
import { WalKeeper } from './wal-keeper.js';

const DEFAULT_CACHE: RowCacheLimits = { maxBytes: 32 * 1_048_576, maxRows: 20_000 };
/** Real writes are about half to all of it. */
const COPY_AT_BYTES = 32 * 1_048_576;

/**
 * @param directory where the files lie; made where it is missing
 * @param cache how many rows each projection keeps parsed
 * @param copyAtBytes how much -wal is written before it is copied into its file
 */
export function sqliteReadModels(
  directory: string,
  cache: Partial<RowCacheLimits> = {},
  copyAtBytes: number = COPY_AT_BYTES,
): ReadModels {
  const limits = { ...DEFAULT_CACHE, ...cache };
  return {
    open: <Row>(shape: RowShape<Row>, generation: number): Promise<ReadModel<Row>> =>
      new Promise((resolve) => {
        mkdirSync(directory, { recursive: true });
        const path = join(directory, readModelFile(shape, generation));
        const db = openFile(path, shape, generation);
        try {
          const wal = new WalKeeper(path, copyAtBytes, () => {
            checkpointHere(db);
          });
          resolve(new SqliteReadModel(db, path, shape, limits, wal));
        } catch (error) {
          closeFile(db, path);
          throw error;
        }
      }),
    progress: (rows, generation) =>
      new Promise((resolve) => {
        resolve(readProgress(join(directory, readModelFile(rows, generation))));
      }),
    drop: (rows, generation) =>
      new Promise((resolve) => {
        const path = join(directory, readModelFile(rows, generation));
        // The -wal last: without its file it is nothing, but a file without its -wal is damaged.
        for (const suffix of ['', '-shm', '-wal']) rmSync(path + suffix, { force: true });
        resolve();
      }),
    lock: (name) =>
      new Promise((resolve) => {
        mkdirSync(directory, { recursive: true });
        resolve(lockFile(directory, name));
      }),
    catalog: (name) =>
      new Promise((resolve) => {
        mkdirSync(directory, { recursive: true });
        const db = openCatalogFile(directory, name);
        resolve(new SqliteProjectionCatalog(db, join(directory, catalogFile(name))));
      }),
  };
}

/** Such as `session-todos.v1.g1.db`. */
export function readModelFile(rows: RowSet, generation: number): string {
  return `${rows.name}.v${rows.version}.g${generation}.db`;
}
