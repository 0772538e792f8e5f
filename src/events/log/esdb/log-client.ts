/**
 * One db-client, with what the log must know of it: the stream its appends share, the calls
 * that are open, and an end after which nothing of it is left.
 */
import { Duplex, type Readable, type Writable } from 'node:stream';
import { EventStoreDBClient } from '@eventstore/db-client';
import { acceptUncompressedOnly, forgetConnection } from './uncompressed-responses.js';
import type { ConnectionSettings } from './connection-settings.js';

/** A read or a subscription that is open on a client. */
export interface OpenCall {
  /** The client goes away: db-client itself would say nothing to its reader. */
  abandon(reason: string): void;
}

/** What db-client can have written to the shared stream without keeping some in a queue of its
 * own: that queue rejects into nowhere when the stream breaks, which ends the process. */
const MOST_UNWRITTEN = 15;

/** The shared append streams of all our clients in this process. */
const appendStreams = new Set<Duplex>();
let generation = 0;

export class LogClient extends EventStoreDBClient {
  private readonly onQuietEnd: (client: LogClient) => void;
  private readonly openCalls: Set<OpenCall>;
  private appendStream: Duplex | undefined;
  private appendStreamClosed: Promise<void>;
  private isHalfClosed: boolean;
  private channel: { close(): void } | undefined;
  private isEnded: boolean;

  /** @param onQuietEnd the server ended the append stream without an error (faults.md A3) */
  constructor(
    { node, channel, credentials }: ConnectionSettings,
    compression: 'off' | 'gzip',
    onQuietEnd: (client: LogClient) => void,
  ) {
    generation += 1;
    const own = {
      connectionName: `${node.connectionName ?? 'planlog'}-${process.pid}-${generation}`,
      // grpc-js shares a connection between clients of equal settings, and with it the
      // server's limit of 100 calls: a new client must get a connection of its own.
      keepAliveInterval: ownInterval(node.keepAliveInterval),
    };
    if ('endpoint' in node) super({ ...node, ...own }, channel, credentials);
    else if ('endpoints' in node) super({ ...node, ...own }, channel, credentials);
    else super({ ...node, ...own }, channel, credentials);
    this.onQuietEnd = onQuietEnd;
    this.openCalls = new Set();
    this.appendStream = undefined;
    this.appendStreamClosed = Promise.resolve();
    this.isHalfClosed = false;
    this.channel = undefined;
    this.isEnded = false;
    if (compression === 'off') acceptUncompressedOnly(this.connectionName);
    this.watchChannels();
    this.watchStreams();
  }

  /** How many appends may be handed over now. */
  appendRoom(unanswered: number): number {
    // The append that opens the stream would be overtaken by those that come with it.
    if (this.appendStream === undefined) return unanswered === 0 ? 1 : 0;
    return Math.max(0, MOST_UNWRITTEN - this.appendStream.writableLength);
  }

  /** Registers a call, so that it learns when the client goes away. */
  opened(call: OpenCall): void {
    this.openCalls.add(call);
  }

  ended(call: OpenCall): void {
    this.openCalls.delete(call);
  }

  /**
   * Ends every call, and resolves when the append stream has ended and the connection is
   * closed: from then on nothing of this client can write or answer any more.
   */
  async end(reason: string): Promise<void> {
    for (const call of [...this.openCalls]) call.abandon(reason);
    this.openCalls.clear();
    this.isEnded = true;
    // Nothing ends a stream whose other half the server has ended already.
    if (this.isHalfClosed) this.appendStream?.destroy();
    await this.dispose();
    await this.appendStreamClosed;
    this.channel?.close();
    forgetConnection(this.connectionName);
  }

  /** An append that still waits for a connection, or for the list of what the server can do,
   * must not open a stream on a client that was replaced. */
  private assertInUse(): void {
    if (this.isEnded) throw new Error('the client was replaced before it had sent anything');
  }

  private watchChannels(): void {
    const get = this.getChannel;
    this.getChannel = async () => {
      this.assertInUse();
      const channel = await get();
      if (this.isEnded) channel.close();
      this.assertInUse();
      this.channel = channel;
      return channel;
    };
  }

  private watchStreams(): void {
    const create = this.GRPCStreamCreator;
    this.GRPCStreamCreator = (Client, name, creator, cache) => {
      const open = create(Client, name, creator, cache);
      return async () => {
        this.assertInUse();
        const stream = await open();
        // Only the stream that appends share is kept.
        if (cache !== undefined) this.watchAppendStream(stream);
        return stream;
      };
    };
  }

  private watchAppendStream(stream: Readable | Writable | Duplex): void {
    if (!(stream instanceof Duplex) || stream === this.appendStream) return;
    this.appendStream = stream;
    appendStreams.add(stream);
    this.appendStreamClosed = new Promise((resolve) => {
      let failed = false;
      const over = (): void => {
        appendStreams.delete(stream);
        if (this.appendStream === stream) this.appendStream = undefined;
        resolve();
      };
      stream.once('error', () => {
        failed = true;
        over();
        silence(stream);
        // db-client has just rejected the pending appends of every client in the process: a
        // later answer to one of them would be an exception that ends it (faults.md A4).
        for (const other of appendStreams) {
          silence(other);
          cancel(other);
        }
      });
      stream.once('close', over);
      stream.once('end', () => {
        setImmediate(() => {
          if (failed) return;
          this.isHalfClosed = true;
          this.onQuietEnd(this);
        });
      });
    });
  }
}

function silence(stream: Duplex): void {
  stream.removeAllListeners('data');
  stream.resume();
}

function cancel(stream: Duplex): void {
  const method: unknown = Reflect.get(stream, 'cancel');
  if (typeof method === 'function') Reflect.apply(method, stream, []);
}

function ownInterval(base = 10_000): number {
  return base < 0 ? base : base + (generation % 1_000);
}
