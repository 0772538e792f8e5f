/** The overview lets events gather longer than others do, and yet keeps no reader waiting. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteReadModels } from '../../../src/projections/read-model/sqlite/sqlite-read-models.js';
import { ProjectionHost } from '../../../src/projections/runtime/projection-host.js';
import { sessionOverviewProjection } from '../../../src/projections/session-overview/session-overview.projection.js';
import { MemoryEventLog } from '../../../src/testing/memory-event-log.js';
import { tell, until } from '../../faults/projections/faulty-log.js';
import { ManualClock } from './manual-clock.js';
import { start, turn, write } from './session-scenario.js';

const STREAM = 'agentSession-default.a';
const GATHER_MS = 100;

it('writes one row for what a session does meanwhile, at once where somebody waits', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'planlog-gathers-'));
  const log = new MemoryEventLog();
  const clock = new ManualClock();
  const host = new ProjectionHost(log, sqliteReadModels(directory), { clock, gatherMs: 5 });
  const overview = host.project(sessionOverviewProjection);
  try {
    await host.start();
    await host.caughtUp();
    await tell(log, STREAM, start);
    await until(() => clock.nextIn === GATHER_MS);
    const first = await overview.lastChange();
    await tell(log, STREAM, turn('t1'));
    await tell(log, STREAM, write('t1', 'I:a'));
    clock.advance(GATHER_MS - 1);
    await new Promise(setImmediate);
    expect(await overview.lastChange()).toBe(first);
    clock.advance(1);
    await until(() => clock.nextIn === GATHER_MS);
    expect(await overview.lastChange()).toBe(first + 1);

    // From here on nobody moves the clock: what is put off never comes.
    for (const content of ['I:b', 'I:c']) {
      const position = await tell(log, STREAM, write('t1', content));
      expect(await overview.reached(position, 60_000)).toBe(true);
      await until(() => clock.nextIn === GATHER_MS);
    }
    expect((await overview.get('default.a'))?.row).toMatchObject({ active: ['c'] });
  } finally {
    const stopped = host.stop();
    clock.advance(60_000);
    await stopped;
    rmSync(directory, { recursive: true });
  }
});
