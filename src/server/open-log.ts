/** Chooses the event log: the embedded one, or EventStoreDB where the configuration names it. */
import { Logger } from '@nestjs/common';
import type { ReadinessCheck } from '../api/health/readiness.js';
import type { EventLog } from '../events/log/event-log.js';
import { openSqliteEventLog } from '../events/log/sqlite/open-sqlite-event-log.js';
import { SESSION_STREAM_PREFIX } from '../events/session-stream.js';
import type { PlanlogConfig } from './config.js';

/** A log that is open, and how it is doing. */
export interface OpenLog {
  readonly log: EventLog;
  /** What readiness asks of the log itself; nothing where it cannot be away. */
  readonly checks: () => Promise<readonly ReadinessCheck[]>;
}

/**
 * @param signal gives up waiting for a server that is away
 * @throws {LogFileError} the embedded log cannot be opened
 * @throws {EsdbStartError} | {ConnectionStringError} waiting for the server would not help
 */
export async function openLog(config: PlanlogConfig, signal?: AbortSignal): Promise<OpenLog> {
  if (config.eventStore === undefined) {
    const log = await openSqliteEventLog({ directory: config.dataDir });
    return { log, checks: () => Promise.resolve([]) };
  }
  // Loaded only where it is used: gRPC costs start time and memory.
  const { openEsdbEventLog } = await import('../events/log/esdb/open-esdb-event-log.js');
  const logger = new Logger('EventLog');
  const { url, compression } = config.eventStore;
  const log = await openEsdbEventLog({
    connectionString: url,
    compression,
    streamPrefixes: [SESSION_STREAM_PREFIX],
    ...(signal === undefined ? {} : { signal }),
    report(level, message) {
      if (level === 'info') logger.log(message);
      else if (level === 'warn') logger.warn(message);
      else logger.error(message);
    },
  });
  return {
    log,
    async checks() {
      const { append, subscribe } = await log.readiness();
      return [
        { name: 'event-log-append', ready: append.ready, state: append.problem ?? 'ready' },
        {
          name: 'event-log-subscribe',
          ready: subscribe.ready,
          state: subscribe.problem ?? 'ready',
        },
      ];
    },
  };
}
