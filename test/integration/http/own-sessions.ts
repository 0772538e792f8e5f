/**
 * The part of a log that one test server may touch, on a server that holds other data: its
 * projections begin where the log ended, and see only sessions whose id holds its mark. Without
 * that, the reaction to deletions would truncate other people's sessions too.
 */
import type { EventLog, EventPuller, PullOptions } from '../../../src/events/log/event-log.js';
import { comparePositions, LOG_START, type Position } from '../../../src/events/log/position.js';

export class OwnSessions {
  private start: Position | undefined;

  /** @param mark what the ids of its sessions hold */
  constructor(private readonly mark: string) {}

  /** @returns the log as the server may see it; after a restart the same part of it */
  async of(log: EventLog): Promise<EventLog> {
    this.start ??= await log.head();
    const start = this.start;
    const { lastEventsStay } = log;
    return {
      ...(lastEventsStay === undefined ? {} : { lastEventsStay }),
      append: (stream, expected, events) => log.append(stream, expected, events),
      read: (stream, options) => log.read(stream, options),
      truncate: (stream, before) => log.truncate(stream, before),
      head: () => log.head(),
      logId: () => log.logId(),
      close: () => log.close(),
      pull: (options) => this.pull(log, options, start),
    };
  }

  private pull(log: EventLog, options: PullOptions, start: Position): EventPuller {
    const fromStart = comparePositions(options.after, LOG_START) === 0;
    const puller = log.pull(fromStart ? { ...options, after: start } : options);
    return {
      next: async () => {
        const batch = await puller.next();
        if (batch === undefined) return undefined;
        return { ...batch, events: batch.events.filter((each) => each.stream.includes(this.mark)) };
      },
      close: () => puller.close(),
    };
  }
}
