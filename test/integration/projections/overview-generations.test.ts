/** The overview over a promotion: it is served from the new generation, and followers go on. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteReadModels } from '../../../src/projections/read-model/sqlite/sqlite-read-models.js';
import { ProjectionHost } from '../../../src/projections/runtime/projection-host.js';
import { sessionOverviewProjection } from '../../../src/projections/session-overview/session-overview.projection.js';
import { SessionOverview } from '../../../src/projections/session-overview/session-overview.js';
import { MemoryEventLog } from '../../../src/testing/memory-event-log.js';
import { tell } from '../../faults/projections/faulty-log.js';
import { remove, start, turn, write } from '../../unit/projections/session-scenario.js';
import { eventually } from './generations-scenario.js';

it('tells every row again with a higher number, and misses nothing that comes after', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'planlog-overview-'));
  const log = new MemoryEventLog();
  const host = new ProjectionHost(log, sqliteReadModels(directory));
  const projection = host.project(sessionOverviewProjection);
  const overview = new SessionOverview(projection);
  let wakes = 0;
  const leave = overview.follow('default', () => (wakes += 1));
  const told = async (session: string, ...events: Parameters<typeof tell>[2][]) => {
    const position = await tell(log, `agentSession-default.${session}`, ...events);
    expect(await overview.reached(position, 5_000)).toBe(true);
  };
  try {
    await host.start();
    await host.caughtUp();
    await told('a', start, turn('t1'), write('t1', 'I:one'));
    await told('b', start);
    await told('c', start, remove);
    const seen = await overview.lastChange();
    const before = await overview.page('default', {}, { limit: 10 });
    expect(await overview.changesAfter('default', seen, 10)).toEqual([]);

    const { generation } = await projection.generations.rebuild(undefined);
    await eventually(async () => {
      const record = await projection.generations.catalog.generation(generation);
      return record?.state === 'ready';
    });
    wakes = 0;
    await projection.generations.promote(generation, undefined);
    await eventually(() => wakes > 0);

    const withoutTime = ({ items }: typeof before) =>
      items.map(({ stalledForMs: _, ...rest }) => rest);
    const after = await overview.page('default', {}, { limit: 10 });
    expect(withoutTime(after)).toEqual(withoutTime(before));
    const changes = await overview.changesAfter('default', seen, 10);
    const names = changes.map((one) =>
      one.kind === 'deleted' ? `${one.sessionId} deleted` : one.item.sessionId,
    );
    expect(names.sort()).toEqual(['a', 'b', 'c deleted']);
    expect(Math.min(...changes.map(({ change }) => change))).toBeGreaterThan(seen);

    const last = await overview.lastChange();
    await told('b', turn('t1'), write('t1', 'I:two'));
    expect(await overview.changesAfter('default', last, 10)).toMatchObject([
      { change: last + 1, item: { sessionId: 'b', active: ['two'] } },
    ]);
    expect(await overview.totals('default')).toMatchObject({
      sessions: 2,
      byActivity: { running: 2 },
      inProgress: 2,
    });
  } finally {
    leave();
    await host.stop();
    await log.close();
    rmSync(directory, { recursive: true });
  }
});
