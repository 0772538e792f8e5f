/** Everyone who reads, waits or follows learns that a projection is not served any more. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import {
  UnusableReadModelError,
  type ReadModels,
} from '../../../src/projections/read-model/read-model.js';
import { sqliteReadModels } from '../../../src/projections/read-model/sqlite/sqlite-read-models.js';
import { ProjectionHost } from '../../../src/projections/runtime/projection-host.js';
import { ProjectionRefusedError } from '../../../src/projections/runtime/refusal.js';
import { sessionOverviewProjection } from '../../../src/projections/session-overview/session-overview.projection.js';
import { SessionOverview } from '../../../src/projections/session-overview/session-overview.js';
import { sessionTodosProjection } from '../../../src/projections/session-todos/session-todos.projection.js';
import { SessionTodos } from '../../../src/projections/session-todos/session-todos.js';
import { MemoryEventLog } from '../../../src/testing/memory-event-log.js';
import { sample } from '../../contract/event-log/sample-events.js';

const session = { tenant: 'default', sessionId: 's1' };
const FAR = { commit: 99n, prepare: 99n };

let directory: string;
let host: ProjectionHost;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'planlog-refusal-'));
});
afterEach(async () => {
  await host.stop();
  await rm(directory, { recursive: true });
});

it('is told to reads, waits, streams and health, once damage is met', async () => {
  const log = new MemoryEventLog();
  const models = sqliteReadModels(directory);
  let damaged = false;
  const damagedLater: ReadModels = {
    ...models,
    async open(shape, generation) {
      const rows = await models.open(shape, generation);
      const get = rows.get.bind(rows);
      jest.spyOn(rows, 'get').mockImplementation((key) => {
        if (!damaged) return get(key);
        return Promise.reject(new UnusableReadModelError('damaged', 'page 7 is damaged'));
      });
      return rows;
    },
  };
  host = new ProjectionHost(log, damagedLater);
  const todos = new SessionTodos(host.project(sessionTodosProjection));
  await host.start();
  await host.caughtUp();

  const waiting = todos.reached(FAR, 60_000);
  const ended: string[] = [];
  const leave = todos.subscribe(session, jest.fn(), () => ended.push('follower'));
  todos.subscribe(session, jest.fn(), () => ended.push('gone'))();
  const changes = new Promise((_, reject) => todos.changes(session).subscribe({ error: reject }));
  expect(await todos.snapshot(session)).toBeUndefined();

  damaged = true;
  const refused = expect(changes).rejects.toBeInstanceOf(ProjectionRefusedError);
  await expect(todos.snapshot(session)).rejects.toBeInstanceOf(ProjectionRefusedError);
  await expect(waiting).rejects.toThrow('page 7 is damaged');
  await refused;
  expect(ended).toEqual(['follower']);
  leave();

  // It stays so, also when the disk behaves again, and nothing more is folded.
  damaged = false;
  await expect(todos.snapshot(session)).rejects.toBeInstanceOf(ProjectionRefusedError);
  await expect(todos.reached(FAR, 0)).rejects.toBeInstanceOf(ProjectionRefusedError);
  await log.append('agentSession-default.s1', 'no_stream', [sample({}, 'turn/start')]);
  const [status] = await host.statuses();
  expect(status).toMatchObject({ state: 'stopped', problem: 'page 7 is damaged' });
  await log.close();
});

it('is told to queries over many rows as well', async () => {
  const log = new MemoryEventLog();
  const models = sqliteReadModels(directory);
  host = new ProjectionHost(log, {
    ...models,
    async open(shape, generation) {
      const rows = await models.open(shape, generation);
      jest
        .spyOn(rows, 'totals')
        .mockRejectedValueOnce(new UnusableReadModelError('damaged', 'page 7 is damaged'));
      return rows;
    },
  });
  const overview = new SessionOverview(host.project(sessionOverviewProjection));
  await host.start();
  await host.caughtUp();
  expect(await overview.page('default', {}, { limit: 1 })).toEqual({ items: [], after: null });
  await expect(overview.totals('default')).rejects.toBeInstanceOf(ProjectionRefusedError);
  for (const read of [
    () => overview.totals('default'),
    () => overview.page('default', {}, { limit: 1 }),
    () => overview.changesAfter('default', 0, 1),
    () => overview.lastChange(),
    () => overview.reached(FAR, 1_000),
  ]) {
    await expect(read()).rejects.toBeInstanceOf(ProjectionRefusedError);
  }
  await host.stop();
  await log.close();
});
