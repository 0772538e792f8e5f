/** Resident memory of a server that has nothing to do. */
import { setTimeout as sleep } from 'node:timers/promises';
import { alternate, HEADER, row } from '../lib/rounds.mjs';
import { table } from '../lib/report.mjs';
import { Loader } from '../lib/loader.mjs';
import { startServer } from '../lib/server.mjs';
import { openTurns, sessionIds, todosPath } from '../lib/sessions.mjs';

export const title = 'idle memory';

const SESSIONS = 64;

export async function run(extent) {
  const settleMs = extent.quick ? 500 : 2_000;
  const results = await alternate(extent.rounds, async (name) => {
    const loader = new Loader();
    const server = await startServer(name);
    try {
      await sleep(settleMs);
      const fresh = server.residentMib();
      const sessions = sessionIds('m', SESSIONS);
      await openTurns(loader, server, sessions, 't');
      await loader.measure('load', {
        url: server.url,
        method: 'PUT',
        paths: sessions.map(todosPath),
        turnId: 't',
        seconds: extent.seconds,
      });
      await sleep(settleMs);
      return { fresh, used: server.residentMib() };
    } finally {
      loader.close();
      await server.stop();
    }
  });
  return [
    'Resident memory of the process, MiB (lower is better).',
    table(HEADER, [
      row('after the start', results, ({ fresh }) => fresh),
      row(
        `idle again after ${extent.seconds} s of writes, 64 in flight`,
        results,
        ({ used }) => used,
      ),
    ]),
  ].join('\n\n');
}
