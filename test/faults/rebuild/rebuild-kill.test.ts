/** A rebuild job that is killed at any moment, again and again, ends equal to a fresh fold. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openSqliteEventLog } from '../../../src/events/log/sqlite/open-sqlite-event-log.js';
import type { SqliteEventLog } from '../../../src/events/log/sqlite/sqlite-event-log.js';
import { sqliteReadModels } from '../../../src/projections/read-model/sqlite/sqlite-read-models.js';
import { LiveProjection } from '../../../src/projections/runtime/live-projection.js';
import { sessionTodosProjection } from '../../../src/projections/session-todos/session-todos.projection.js';
import { processJobs } from '../../../src/server/rebuild/process-jobs.js';
import { eventually } from '../../integration/projections/generations-scenario.js';
import { end, remove, start, turn, write } from '../../unit/projections/session-scenario.js';
import { tell } from '../projections/faulty-log.js';

const SESSIONS = 40;

let directory: string;
let log: SqliteEventLog;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'planlog-rebuild-kill-'));
  log = await openSqliteEventLog({ directory });
});
afterEach(async () => {
  await log.close();
  rmSync(directory, { recursive: true, force: true });
});

function stream(session: number): string {
  return `agentSession-default.s${session}`;
}

it('goes on with what was written, whenever it is killed, while events arrive (faults.md C 31, C 33)', async () => {
  for (let session = 0; session < SESSIONS; session += 1) {
    await tell(log, stream(session), start, turn('t0'), write('t0', 'P:first'));
  }
  const pids: number[] = [];
  const projection = new LiveProjection(log, sessionTodosProjection, {
    jobs: processJobs({ dataDir: directory, eventStore: undefined }, (pid) => {
      if (pid !== undefined) pids.push(pid);
    }),
  });
  const readModels = sqliteReadModels(directory);
  try {
    await projection.start(readModels);
    await projection.caughtUp();
    const writing = { now: true };
    const writer = (async () => {
      for (let round = 0; writing.now; round += 1) {
        const at = stream(round % SESSIONS);
        await tell(log, at, end('t0', 'completed'), turn('t0'), write('t0', `I:${round}`));
        if (round === 300) await tell(log, stream(SESSIONS), start, remove);
        await pause(1);
      }
    })();
    const { generations } = projection;
    const { generation } = await generations.rebuild(undefined);
    // Each kill comes a little later in the life of a process, from its start on.
    for (let kill = 0; kill < 4; kill += 1) {
      await eventually(() => pids.length > kill);
      await pause(60 * kill);
      try {
        process.kill(pids[kill] ?? 0, 'SIGKILL');
      } catch {
        // It was done already.
        break;
      }
    }
    await eventually(
      async () => (await generations.catalog.generation(generation))?.state === 'ready',
    );
    writing.now = false;
    await writer;
    await generations.promote(generation, undefined);
    const head = await log.head();
    expect(await projection.reached(head, 10_000)).toBe(true);
    const promoted = await rowsOf(projection);

    const fresh = new LiveProjection(log, sessionTodosProjection);
    await fresh.start(sqliteReadModels(join(directory, 'fresh')));
    await fresh.caughtUp();
    expect(await fresh.reached(head, 10_000)).toBe(true);
    expect(promoted).toEqual(await rowsOf(fresh));
    expect(promoted.size).toBeGreaterThanOrEqual(SESSIONS);
    await fresh.stop(0);
  } finally {
    await projection.stop(0);
  }
}, 90_000);

async function rowsOf<Row>(projection: LiveProjection<Row>): Promise<Map<string, Row | undefined>> {
  const rows = await projection.generations.serving?.rows.scan(undefined, 1_000);
  return new Map((rows ?? []).map(({ key, row }) => [key, row]));
}
