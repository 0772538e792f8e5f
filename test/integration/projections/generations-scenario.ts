/** A log, a projection with generations, and what is done to them: for the tests of rebuilds. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { EventLog } from '../../../src/events/log/event-log.js';
import { sessionStream } from '../../../src/events/session-stream.js';
import { sqliteReadModels } from '../../../src/projections/read-model/sqlite/sqlite-read-models.js';
import type { GenerationSet } from '../../../src/projections/runtime/generations/generation-set.js';
import type { RebuildJobs } from '../../../src/projections/runtime/generations/rebuild-jobs.js';
import type { LiveProjection } from '../../../src/projections/runtime/live-projection.js';
import { ProjectionHost } from '../../../src/projections/runtime/projection-host.js';
import type { SessionSnapshot } from '../../../src/projections/session-todos/session-snapshot.js';
import { sessionTodosProjection } from '../../../src/projections/session-todos/session-todos.projection.js';
import type { SessionTodosRow } from '../../../src/projections/session-todos/session-todos.row.js';
import { SessionTodos } from '../../../src/projections/session-todos/session-todos.js';
import { MemoryEventLog } from '../../../src/testing/memory-event-log.js';
import { tell } from '../../faults/projections/faulty-log.js';
import type { Told } from '../../unit/projections/session-scenario.js';

export class GenerationsScenario {
  readonly directory = mkdtempSync(join(tmpdir(), 'planlog-generations-'));
  readonly readModels = sqliteReadModels(this.directory);
  log: EventLog = new MemoryEventLog();
  readonly reports: string[] = [];
  host!: ProjectionHost;
  projection!: LiveProjection<SessionTodosRow>;
  todos!: SessionTodos;

  /** Starts a process, as it were. */
  async launch(more: { version?: number; jobs?: RebuildJobs } = {}): Promise<void> {
    const { version = 1, jobs } = more;
    this.host = new ProjectionHost(this.log, this.readModels, {
      report: (message, error) => this.reports.push(`${message}: ${String(error)}`),
      ...(jobs ? { jobs } : {}),
    });
    this.projection = this.host.project({ ...sessionTodosProjection, version });
    this.todos = new SessionTodos(this.projection);
    await this.host.start();
  }

  get generations(): GenerationSet<SessionTodosRow> {
    return this.projection.generations;
  }

  /** Appends, and waits until readers see it. */
  async told(sessionId: string, ...events: Told[]): Promise<void> {
    const stream = sessionStream({ tenant: 'default', sessionId });
    const position = await tell(this.log, stream, ...events);
    if (!(await this.todos.reached(position, 5_000))) throw new Error('it was not projected');
  }

  /** Has a generation built, and waits until it is ready. */
  async built(): Promise<number> {
    const { generation } = await this.generations.rebuild(undefined);
    await this.until(generation, 'ready');
    return generation;
  }

  async until(generation: number, state: string): Promise<void> {
    await eventually(async () => {
      const record = await this.generations.catalog.generation(generation);
      return record?.state === state;
    });
  }

  snapshot(sessionId: string): Promise<SessionSnapshot | undefined> {
    return this.todos.snapshot({ tenant: 'default', sessionId });
  }

  /** The session's version, as an ETag says it. */
  async version(sessionId: string): Promise<string> {
    const found = await this.snapshot(sessionId);
    return found ? `${found.revision.toString()}.${found.epoch}` : 'none';
  }

  async states(): Promise<string[]> {
    const records = await this.generations.catalog.generations();
    return records.map(({ generation, state }) => `${generation} ${state}`);
  }

  async end(): Promise<void> {
    await this.host.stop();
    await this.log.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Waits until something is so, 10 seconds at most. */
export async function eventually(condition: () => Promise<boolean> | boolean): Promise<void> {
  const until = Date.now() + 10_000;
  while (!(await condition())) {
    if (Date.now() > until) throw new Error('it did not come to pass');
    await pause(5);
  }
}
