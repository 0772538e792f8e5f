/** An event log that fails on demand, around any other. */
import { OutcomeUnknownError, UnavailableError } from '../../../src/events/log/errors.js';
import type {
  AppendResult,
  EventLog,
  ExpectedRevision,
  NewEvent,
  PullOptions,
  ReadOptions,
  StoredEvent,
} from '../../../src/events/log/event-log.js';

/** What the next append does instead of simply appending. */
export type AppendFault =
  /** Stores the events, then says that it does not know. */
  | 'unknown-stored'
  /** Stores nothing and says that it does not know. */
  | 'unknown-lost'
  | 'unavailable';

export class FaultyLog implements EventLog {
  /** Used up one an append, in order; then appends are healthy. */
  faults: (AppendFault | (() => Promise<void> | void))[] = [];
  /** While set, reads are refused. */
  readsFail = false;
  appends = 0;
  eventsRead = 0;

  constructor(readonly inner: EventLog) {}

  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<AppendResult> {
    this.appends += 1;
    const fault = this.faults.shift();
    if (typeof fault === 'function') await fault();
    if (fault === 'unavailable') throw new UnavailableError('unreachable', 'injected');
    if (fault === 'unknown-lost') throw new OutcomeUnknownError('injected');
    const result = await this.inner.append(stream, expected, events);
    if (fault === 'unknown-stored') throw new OutcomeUnknownError('injected');
    return result;
  }

  read(stream: string, options: ReadOptions) {
    if (this.readsFail) throw new UnavailableError('unreachable', 'injected');
    return this.#counted(this.inner.read(stream, options));
  }

  async *#counted(events: AsyncIterable<StoredEvent>) {
    for await (const event of events) {
      this.eventsRead += 1;
      yield event;
    }
  }

  pull(options: PullOptions) {
    return this.inner.pull(options);
  }

  truncate(stream: string, before: bigint) {
    return this.inner.truncate(stream, before);
  }

  head() {
    return this.inner.head();
  }

  logId() {
    return this.inner.logId();
  }

  close() {
    return this.inner.close();
  }
}
