/**
 * Kills the server under load, starts it again, checks, and so on, on one data directory.
 * By hand: `npm run crash -- --rounds 200`.
 */
import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { checkRecovery, type Recovery } from './check-recovery.js';
import { CrashClient } from './crash-client.js';
import { ServerProcess } from './server-process.js';

const CLIENTS = 24;
/** The kill comes at a random moment between these, in milliseconds after the load began. */
const KILL_AFTER = [40, 700] as const;

/**
 * @param rounds kills
 * @param report called after each round
 */
export async function crashRounds(
  rounds: number,
  report: (round: number, recovery: Recovery) => void = () => undefined,
): Promise<Recovery> {
  const directory = await mkdtemp(join(tmpdir(), 'planlog-crash-'));
  const clients = Array.from({ length: CLIENTS }, (_, i) => new CrashClient(`c${i}`));
  let server = await ServerProcess.start(directory);
  let last: Recovery = { faults: ['no round was run'], sessions: 0, acknowledged: 0 };
  try {
    for (let round = 1; round <= rounds; round += 1) {
      await loadAndKill(server, clients);
      server = await ServerProcess.start(directory);
      // Each client settles the request that got no answer, then all is checked.
      await Promise.all(clients.map((client) => client.run(server.url, once())));
      last = await checkRecovery(directory, server.url, clients);
      report(round, last);
      if (last.faults.length > 0) break;
    }
  } finally {
    await server.stop();
    if (last.faults.length === 0) await rm(directory, { recursive: true });
  }
  return last;
}

async function loadAndKill(server: ServerProcess, clients: readonly CrashClient[]): Promise<void> {
  let over = false;
  const load = Promise.all(clients.map((client) => client.run(server.url, () => over)));
  await delay(randomInt(...KILL_AFTER));
  await server.kill();
  over = true;
  await load;
}

/** False the first time it is asked. */
function once(): () => boolean {
  let asked = false;
  return () => {
    const before = asked;
    asked = true;
    return before;
  };
}
