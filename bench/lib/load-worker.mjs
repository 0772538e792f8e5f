/** The load generator's process: does the jobs it is sent, one after the other. */
import * as jobs from './jobs.mjs';

process.on('message', async ({ job, options }) => {
  try {
    process.send({ result: await jobs[job](options) });
  } catch (error) {
    process.send({ error: error instanceof Error ? error.stack : String(error) });
  }
});
