/** A stand-in and a log on it for each test, with times short enough for one. */
import type { EsdbEventLog } from '../../../src/events/log/esdb/esdb-event-log.js';
import type { EsdbEventLogOptions } from '../../../src/events/log/esdb/esdb-options.js';
import { openEsdbEventLog } from '../../../src/events/log/esdb/open-esdb-event-log.js';
import { EventStoreStandIn } from '../../../src/testing/eventstore-stand-in/stand-in.js';

export interface OnStandIn {
  readonly server: EventStoreStandIn;
  readonly log: EsdbEventLog;
  readonly reports: string[];
}

/** Registers the hooks; the function gives what the running test has. */
export function onStandIn(options: Partial<EsdbEventLogOptions> = {}): () => OnStandIn {
  let current: OnStandIn | undefined;
  beforeEach(async () => {
    const server = await EventStoreStandIn.start();
    const reports: string[] = [];
    const log = await openEsdbEventLog({
      connectionString: server.connectionString,
      appendTimeoutMs: 1_500,
      readTimeoutMs: 1_500,
      headPollMs: 50,
      report: (_, message) => reports.push(message),
      ...options,
    });
    current = { server, log, reports };
  });
  afterEach(async () => {
    current?.server.faults.clear();
    await current?.log.close();
    await current?.server.close();
    current = undefined;
  });
  return () => {
    if (current === undefined) throw new Error('no test is running');
    return current;
  };
}
