/** Run as a process of its own: starts a job as the server does, says its id, and waits. */
import { processJobs } from '../../../src/server/rebuild/process-jobs.js';

const [, , dataDir = '', url = ''] = process.argv;
const jobs = processJobs({ dataDir, eventStore: { url, compression: 'off' } }, (pid) => {
  process.stdout.write(`${pid ?? 0}\n`);
});
await jobs.run(
  { projection: 'session-todos', version: 1, generation: 1 },
  new AbortController().signal,
);
