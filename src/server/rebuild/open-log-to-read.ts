/** The event log as a job sees it: beside whoever owns it, without writing. */
import type { EventLog } from '../../events/log/event-log.js';
import { openSqliteLogReader } from '../../events/log/sqlite/sqlite-log-reader.js';
import { SESSION_STREAM_PREFIX } from '../../events/session-stream.js';
import type { FollowedLog } from '../../projections/runtime/consumer.js';
import type { PlanlogConfig } from '../config.js';

/**
 * @param signal gives up waiting for a server that is away
 * @param report told of what the log has to say while it waits
 * @throws {LogFileError} | {EsdbStartError} | {ConnectionStringError} it cannot be opened
 */
export async function openLogToRead(
  { dataDir, eventStore }: Pick<PlanlogConfig, 'dataDir' | 'eventStore'>,
  signal: AbortSignal,
  report: (message: string) => void,
): Promise<FollowedLog & Pick<EventLog, 'close'>> {
  if (eventStore === undefined) return openSqliteLogReader({ directory: dataDir });
  // Loaded only where it is used: gRPC costs start time and memory.
  const { openEsdbEventLog } = await import('../../events/log/esdb/open-esdb-event-log.js');
  return openEsdbEventLog({
    connectionString: eventStore.url,
    compression: eventStore.compression,
    streamPrefixes: [SESSION_STREAM_PREFIX],
    signal,
    report: (level, message) => {
      if (level !== 'info') report(message);
    },
  });
}
