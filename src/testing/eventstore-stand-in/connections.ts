/**
 * The sockets between clients and the stand-in. They stand in front of the gRPC server because
 * it cannot do what a server process can: stop in the middle (frozen, its connections open), or
 * die (its connections reset).
 */
import { createServer, type Server, type Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** A server that slept longer than its own keepalive drops its connections when it wakes. */
const KEEPALIVE_MS = 20_000;

export interface ConnectionsOptions {
  readonly onConnection: (connection: Duplex) => void;
  readonly onOpened: () => void;
  readonly onClosed: () => void;
}

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Set<Connection>();
  #server: Server | undefined;
  #port = 0;
  #frozenSince: number | undefined;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  get port(): number {
    return this.#port;
  }

  /** Listens on the loopback interface; the second time on the same port as the first. */
  async listen(port: number): Promise<void> {
    const server = createServer({ noDelay: true, pauseOnConnect: true }, (socket) => {
      this.#accept(socket);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port === 0 ? port : this.#port, '127.0.0.1', resolve);
    });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port was opened');
    this.#port = address.port;
    this.#server = server;
  }

  /** Refuses new connections and resets the open ones. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    const closed = new Promise<void>((resolve) => {
      if (server === undefined) resolve();
      else
        server.close(() => {
          resolve();
        });
    });
    this.reset();
    this.#frozenSince = undefined;
    await closed;
  }

  /** Clients see "read ECONNRESET". */
  reset(): void {
    for (const connection of this.#open) connection.reset();
  }

  freeze(): void {
    this.#frozenSince ??= Date.now();
    for (const connection of this.#open) connection.freeze();
  }

  /** What clients sent meanwhile is read now, unless the sleep was long: then a real server has
   * lost its connections, and what lay in them. */
  thaw(dropped = Date.now() - (this.#frozenSince ?? Infinity) > KEEPALIVE_MS): void {
    this.#frozenSince = undefined;
    for (const connection of this.#open) {
      if (dropped) connection.reset();
      else connection.thaw();
    }
  }

  #accept(socket: Socket): void {
    const connection = new Connection(socket);
    this.#open.add(connection);
    this.#options.onOpened();
    socket.once('close', () => {
      this.#open.delete(connection);
      this.#options.onClosed();
    });
    if (this.#frozenSince !== undefined) connection.freeze();
    this.#options.onConnection(connection);
  }
}

/** A socket that can stop answering without closing. */
class Connection extends Duplex {
  readonly #socket: Socket;
  #frozen = false;
  #wanted = false;
  #held: (() => void) | undefined;

  constructor(socket: Socket) {
    super({ allowHalfOpen: false });
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      if (this.push(chunk)) return;
      this.#wanted = false;
      socket.pause();
    });
    socket.once('end', () => {
      this.push(null);
    });
    socket.once('error', (error) => {
      this.destroy(error);
    });
    socket.once('close', () => {
      this.destroy();
    });
    // A reset by the client is an ordinary end here.
    this.on('error', () => undefined);
  }

  freeze(): void {
    this.#frozen = true;
    this.#socket.pause();
  }

  thaw(): void {
    this.#frozen = false;
    const held = this.#held;
    this.#held = undefined;
    held?.();
    if (this.#wanted) this.#socket.resume();
  }

  reset(): void {
    this.#socket.resetAndDestroy();
  }

  override _read(): void {
    this.#wanted = true;
    if (!this.#frozen) this.#socket.resume();
  }

  override _write(
    chunk: Buffer,
    _encoding: BufferEncoding,
    done: (error?: Error | null) => void,
  ): void {
    const write = () => {
      this.#socket.write(chunk, done);
    };
    if (this.#frozen) this.#held = write;
    else write();
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    const write = () => {
      this.#socket.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
    };
    if (this.#frozen) this.#held = write;
    else write();
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(() => {
      done();
    });
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
