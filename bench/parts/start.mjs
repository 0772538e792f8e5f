/** From the start of the process to the line that says that it is ready. */
import { alternate, HEADER, row } from '../lib/rounds.mjs';
import { table } from '../lib/report.mjs';
import { startServer } from '../lib/server.mjs';

export const title = 'start to ready';

export async function run(extent) {
  const results = await alternate(extent.rounds, async (name) => {
    const server = await startServer(name);
    await server.stop();
    return server.startMs;
  });
  return [
    'Milliseconds from the start of the process, in an empty folder (lower is better).',
    table(HEADER, [row('empty folder', results, (ms) => ms)]),
  ].join('\n\n');
}
