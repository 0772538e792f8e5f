/** The log and the read models without a server: for commands that look at them or repair them. */
import type { EventLog } from '../events/log/event-log.js';
import { sqliteReadModels } from '../projections/read-model/sqlite/sqlite-read-models.js';
import { ProjectionHost } from '../projections/runtime/projection-host.js';
import { TODO_PROJECTIONS } from '../todos/todo-projections.js';
import type { PlanlogConfig } from './config.js';
import { openLog } from './open-log.js';

export interface OpenStore {
  readonly log: EventLog;
  /** Opened, and following nothing. */
  readonly projections: ProjectionHost;
  /** Frees the lock. */
  readonly close: () => Promise<void>;
}

/**
 * Opens both, under the lock that a server would take.
 *
 * @param signal gives up waiting for a log that is away
 * @throws {LogFileError} | {EsdbStartError} | {ConnectionStringError} the log cannot be opened
 * @throws {UnusableReadModelError} the read models cannot be used
 */
export async function openStore(config: PlanlogConfig, signal: AbortSignal): Promise<OpenStore> {
  const { log } = await openLog(config, signal);
  const projections = new ProjectionHost(log, sqliteReadModels(config.dataDir));
  for (const each of TODO_PROJECTIONS) {
    each((projection) => {
      projections.project(projection);
    });
  }
  const close = async (): Promise<void> => {
    await projections.stop({ deadlineMs: 0 });
    await log.close();
  };
  try {
    await projections.open();
    return { log, projections, close };
  } catch (error) {
    await close();
    throw error;
  }
}
