/**
 * The one client of the log, and its replacement when it is suspect. Two clients with appends
 * never overlap: db-client keeps the pending appends of all clients of a process in one map,
 * and a late answer to a disposed client's append would be an exception that ends the process.
 */
import { UnavailableError } from '../errors.js';
import type { AppendLane } from './append-lane.js';
import type { LogClient } from './log-client.js';

export interface ClientSlotOptions {
  create(onQuietEnd: (client: LogClient) => void): LogClient;
  readonly lane: AppendLane;
  /** A client is being replaced, because. */
  readonly onReplace: (reason: string) => void;
}

export class ClientSlot {
  readonly #options: ClientSlotOptions;
  #client: LogClient | undefined;
  #replacing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #replaced = 0;

  constructor(options: ClientSlotOptions) {
    this.#options = options;
    this.#open();
  }

  /** How many clients were replaced. */
  get replaced(): number {
    return this.#replaced;
  }

  /** The client for a read or a subscription; waits while one is replaced. */
  async client(): Promise<LogClient> {
    while (this.#client === undefined && !this.#closing) await this.#replacing;
    return this.current();
  }

  /** @throws {UnavailableError} there is none at the moment */
  current(): LogClient {
    if (this.#closing) throw new UnavailableError('closed', 'the log is closed');
    if (this.#client === undefined) {
      throw new UnavailableError('unreachable', 'the connection is being replaced');
    }
    return this.#client;
  }

  /** Replaces the client, unless that has begun already. */
  suspect(client: LogClient, reason: string): void {
    if (this.#client !== client || this.#closing) return;
    this.#replacing = this.#replace(client, reason);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#replacing;
    this.#options.lane.hold();
    const client = this.#client;
    this.#client = undefined;
    await client?.end('the log was closed');
  }

  /** In this order: hold, end, settle, and only then open anew. */
  async #replace(client: LogClient, reason: string): Promise<void> {
    const { lane, onReplace } = this.#options;
    lane.hold();
    this.#client = undefined;
    this.#replaced += 1;
    onReplace(reason);
    await client.end(`the connection was replaced: ${reason}`);
    // db-client has rejected those it still knew; the rest would wait for ever.
    await new Promise(setImmediate);
    lane.settleSent('the connection was replaced');
    this.#replacing = undefined;
    this.#open();
  }

  #open(): void {
    const client = this.#options.create((ended) => {
      this.suspect(ended, 'the server ended the stream that appends share');
    });
    this.#client = client;
    this.#options.lane.resume(client);
  }
}
