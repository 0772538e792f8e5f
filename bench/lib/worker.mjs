/** The far end of a {@link Loader}: a process that does the jobs it is sent, one after the other. */
export function serve(jobs) {
  process.on('message', async ({ job, options }) => {
    try {
      process.send({ result: await jobs[job](options) });
    } catch (error) {
      process.send({ error: error instanceof Error ? error.stack : String(error) });
    }
  });
}
