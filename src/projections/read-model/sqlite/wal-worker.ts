/**
 * Entry of the thread that copies a -wal into its file, each time it is asked. Its data is the
 * path of the file. What lies in the -wal is committed already: nothing is lost with the thread.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { DatabaseSync } from '@photostructure/sqlite';

const port = parentPort;
if (port === null || typeof workerData !== 'string') {
  throw new TypeError('this file is run by a read model, as a worker');
}
const path = workerData;

port.on('message', () => {
  // A connection for each time, so that none is open when the read model closes the file.
  const db = new DatabaseSync(path);
  try {
    // It waits for nobody and nobody waits for it.
    db.exec('PRAGMA wal_checkpoint(PASSIVE)');
  } finally {
    db.close();
  }
  port.postMessage('done');
});
