/**
 * Reads an embedded log beside the process that owns it, or with no owner there, without the
 * lock and without writing: for jobs that rebuild or verify a read model.
 */
import { UnavailableError } from '../errors.js';
import type { EventLog, EventPuller, PullOptions, ReadOptions, StoredEvent } from '../event-log.js';
import { positionOf, type Position } from '../position.js';
import { logPath, openChecked } from './log-file.js';
import { LogPages } from './log-pages.js';
import { LogPuller } from './log-puller.js';
import { readStream } from './read-stream.js';

/** How often a pull that waits at the head looks whether the owner has written. */
const LOOK_EVERY_MS = 200;

/**
 * @throws {LogFileError} there is no log, or it is newer, damaged or foreign. It is checked
 * as the owner checks it, and left as it is.
 */
export function openSqliteLogReader(options: { readonly directory: string }): SqliteLogReader {
  return new SqliteLogReader(new LogPages(openChecked(logPath(options.directory))));
}

/** Made by {@link openSqliteLogReader}. */
export class SqliteLogReader implements Pick<
  EventLog,
  'read' | 'pull' | 'head' | 'logId' | 'close' | 'lastEventsStay'
> {
  readonly lastEventsStay = true;
  readonly #pages: LogPages;
  readonly #pullers = new Set<LogPuller>();
  #closed = false;

  /** @internal */
  constructor(pages: LogPages) {
    this.#pages = pages;
  }

  read(stream: string, options: ReadOptions): AsyncIterable<StoredEvent> {
    return readStream(() => this.#openPages(), stream, options);
  }

  /** As the port says; at the head it wakes within a fraction of a second. */
  pull(options: PullOptions): EventPuller {
    const source = {
      page: (...args: Parameters<LogPages['ofLog']>) => this.#openPages().ofLog(...args),
      storedAfter: async (after: bigint, signal: AbortSignal): Promise<void> => {
        while (!signal.aborted && this.#openPages().head() <= after) {
          await pause(LOOK_EVERY_MS, signal);
        }
      },
    };
    const puller = new LogPuller(source, options, (closed) => this.#pullers.delete(closed));
    this.#pullers.add(puller);
    return puller;
  }

  head(): Promise<Position> {
    return Promise.resolve().then(() => positionOf(this.#openPages().head()));
  }

  logId(): Promise<string> {
    return Promise.resolve().then(() => this.#openPages().logId());
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pullers].map((puller) => puller.close()));
    this.#closed = true;
    this.#pages.close();
  }

  #openPages(): LogPages {
    if (this.#closed) throw new UnavailableError('closed', 'the reader of the log is closed');
    return this.#pages;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
