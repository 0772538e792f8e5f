/**
 * A writer thread whose connection fails. A file beside the log says how: `fault=sync&after=1`
 * lets one commit pass, the next fails to sync.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { WriterDb, WriterStatement } from '../../../src/events/log/sqlite/log-writer.js';
import { openForWriting, runWriter } from '../../../src/events/log/sqlite/run-writer.js';

const path = String(workerData);
const faults = new URLSearchParams(readFileSync(`${path}.fault`, 'utf8'));
const fault = faults.get('fault');
let pass = Number(faults.get('after') ?? 0);

function sqliteError(errcode: number, message: string): Error {
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode });
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));

function beforeCommit(): void {
  appendFileSync(`${path}.commits`, '.');
  pass -= 1;
  if (pass >= 0) return;
  if (fault === 'sync' && pass === -1) throw sqliteError(1034, 'disk I/O error');
  if (fault === 'full' && pass === -1) throw sqliteError(13, 'database or disk is full');
  if (fault === 'die') process.exit(3);
  while (fault === 'hang' && existsSync(`${path}.hang`)) Atomics.wait(sleeper, 0, 0, 5);
}

function beforeInsert(): void {
  if (fault === 'corrupt' && pass <= 0) throw sqliteError(11, 'database disk image is malformed');
}

function faulty(db: WriterDb): WriterDb {
  return {
    get isTransaction() {
      return db.isTransaction;
    },
    exec: (sql) => {
      db.exec(sql);
    },
    close: () => {
      db.close();
    },
    prepare: (sql): WriterStatement => {
      const statement = db.prepare(sql);
      const before = sql === 'COMMIT' ? beforeCommit : beforeInsert;
      if (sql !== 'COMMIT' && !sql.startsWith('INSERT INTO events')) return statement;
      return {
        run: (...values) => {
          before();
          return statement.run(...values);
        },
        get: (...values) => statement.get(...values),
        all: (...values) => statement.all(...values),
        setReadBigInts: (on) => {
          statement.setReadBigInts(on);
        },
        setReturnArrays: (on) => {
          statement.setReturnArrays(on);
        },
      };
    },
  };
}

if (parentPort !== null) runWriter(parentPort, () => faulty(openForWriting(path)));
