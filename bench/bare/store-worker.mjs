/** The writer thread of the bare store: one transaction and one sync a batch. */
import { parentPort, workerData } from 'node:worker_threads';
import { DatabaseSync } from '@photostructure/sqlite';

const db = new DatabaseSync(workerData);
db.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS streams (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE IF NOT EXISTS events (position INTEGER PRIMARY KEY, stream INTEGER NOT NULL,
    revision INTEGER NOT NULL, created INTEGER NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL,
    metadata TEXT NOT NULL, data TEXT NOT NULL, UNIQUE (stream, revision)) STRICT;
`);
const begin = db.prepare('BEGIN IMMEDIATE');
const commit = db.prepare('COMMIT');
const findHead = db.prepare(
  'SELECT id, (SELECT max(revision) FROM events WHERE stream = streams.id) AS revision ' +
    'FROM streams WHERE name = ?',
);
const addStream = db.prepare('INSERT INTO streams (name) VALUES (?)');
const addEvent = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
const heads = new Map();
let position = db.prepare('SELECT ifnull(max(position), 0) AS last FROM events').get().last;

parentPort.on('message', (batch) => {
  const first = position + 1;
  try {
    parentPort.postMessage({ first, revisions: store(batch) });
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    heads.clear();
    position = first - 1;
    parentPort.postMessage({ error: error.message });
  }
});
parentPort.postMessage('ready');

function store(batch) {
  const revisions = [];
  const created = Date.now();
  begin.run();
  for (let at = 0; at < batch.length; at += 4) {
    const head = headOf(batch[at]);
    head.revision += 1;
    addEvent.run(
      ++position,
      head.id,
      head.revision,
      created,
      batch[at + 1],
      'todo/write',
      batch[at + 3],
      batch[at + 2],
    );
    revisions.push(head.revision);
  }
  commit.run();
  return revisions;
}

function headOf(stream) {
  let head = heads.get(stream);
  if (head === undefined) {
    head = findHead.get(stream);
    head = head
      ? { id: head.id, revision: head.revision ?? -1 }
      : { id: Number(addStream.run(stream).lastInsertRowid), revision: -1 };
    heads.set(stream, head);
  }
  return head;
}
