/** Entry of the writer's thread. Its data is the path of the log. */
import { parentPort, workerData } from 'node:worker_threads';
import { openForWriting, runWriter } from './run-writer.js';

if (parentPort === null || typeof workerData !== 'string') {
  throw new TypeError('this file is run by the log, as a worker');
}
const path = workerData;
runWriter(parentPort, () => openForWriting(path));
