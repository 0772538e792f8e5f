/**
 * The writer's thread: takes batches from its port, commits them, answers. The sync of a
 * commit happens here, so it never stalls the event loop of the server.
 */
import type { MessagePort } from 'node:worker_threads';
import { DatabaseSync } from '@photostructure/sqlite';
import { LogWriter, type WriterDb } from './log-writer.js';
import { SpaceReclaimer } from './space-reclaimer.js';
import { messageOf } from './sqlite-errors.js';
import type { WriterReply, WriterRequest } from './writer-messages.js';

/** What every connection that writes the log must have set. */
export function openForWriting(path: string): WriterDb {
  const db = new DatabaseSync(path, { timeout: 1_000 });
  // This build means NORMAL when it says WAL: a commit would not be on disk.
  db.exec('PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864');
  // What a killed process had written but not synced may be visible and yet not be on disk.
  // A checkpoint syncs it, before anybody is told that it is stored.
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  return db;
}

/** Leaves everything in `log.db` itself, so that it can be copied alone. (SQLite does so when
 * the last connection closes, but this driver keeps one open while a statement of it lives.) */
function close(db: WriterDb): void {
  try {
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
}

/** Serves the port until it is told to close. */
export function runWriter(port: MessagePort, open: () => WriterDb): void {
  const say = (reply: WriterReply): void => {
    port.postMessage(reply);
  };
  let db: WriterDb;
  let writer: LogWriter;
  let space: SpaceReclaimer;
  try {
    db = open();
    writer = new LogWriter(db);
    space = new SpaceReclaimer(db, say);
  } catch (error) {
    say({ kind: 'start_failed', message: messageOf(error) });
    return;
  }

  let closing = false;
  let working = false;
  const work = (): void => {
    if (closing ? space.hasRequests : space.hasWork) {
      space.step();
      setImmediate(work);
      return;
    }
    working = false;
    if (closing) {
      close(db);
      port.close();
    }
  };
  const wakeUp = (): void => {
    if (working) return;
    working = true;
    setImmediate(work);
  };

  port.on('message', (request: WriterRequest) => {
    if (request.kind === 'append') {
      say(writer.append(request));
      return;
    }
    if (request.kind === 'truncate') space.truncate(request);
    else closing = true;
    wakeUp();
  });
  say({ kind: 'ready' });
}
