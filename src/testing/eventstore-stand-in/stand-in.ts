/**
 * An EventStoreDB in this process, kept in memory, that the real client talks to over a real
 * socket: for tests and benches where no server can be. It behaves as a single node of 24.10
 * does, with or without TLS, and can be told to fail in the ways in which servers and networks
 * do.
 */
import { setTimeout } from 'node:timers/promises';
import { Connections } from './connections.js';
import { Faults } from './faults.js';
import {
  createGrpcServer,
  MAX_STREAMS_PER_CONNECTION,
  type GrpcServer,
  type ServerCertificate,
} from './grpc-server.js';
import { Observations } from './observations.js';
import {
  MAX_APPEND_SIZE,
  ServerContext,
  type ClusterMember,
  type OpenCall,
} from './server-context.js';
import { EventStore } from './store/event-store.js';
import { Users, type StandInUser } from './users.js';
import { callFailure, type CallFailure } from './wire/statuses.js';

export interface StandInOptions {
  /** Default: one that is free. */
  readonly port?: number;
  /** The server's clock, in milliseconds. Default: `Date.now`. */
  readonly now?: () => number;
  /** The most bytes in one append. Default: 1 MiB, as in 24.10. */
  readonly maxAppendSize?: number;
  /** The most calls that are open at once on a connection. Default 100. */
  readonly maxStreamsPerConnection?: number;
  /** What the server says its version is. Default 24.10.4. */
  readonly serverVersion?: string;
  /** How many event ids the idempotency cache holds. Default 70,000. */
  readonly rememberedIds?: number;
  /** Makes it speak TLS. Default: it does not. */
  readonly certificate?: ServerCertificate;
  /** Who may do what. Needs a certificate: without TLS a client sends no credentials. */
  readonly users?: readonly StandInUser[];
  /** A log that several stand-ins share, as the nodes of a cluster do. */
  readonly store?: EventStore;
  /** What gossip tells. Default: a cluster of one, led by the stand-in itself. */
  readonly members?: () => readonly ClusterMember[];
}

/** How long a server that shuts down waits for its clients to take what it says. */
const SHUTDOWN_MS = 1_000;

/** How a server goes down. */
export type Death =
  /** SIGKILL: every connection is reset. */
  | 'kill'
  /** SIGTERM: open calls are told that the server is shutting down, then connections close. */
  | 'shutdown'
  /** SIGTERM of a cluster's node: subscriptions end with UNKNOWN instead. */
  | 'cluster-shutdown';

export class EventStoreStandIn {
  /** The switches of what goes wrong. */
  readonly faults: Faults;
  /** What was seen, and what is open now. */
  readonly observed = new Observations();
  readonly store: EventStore;
  readonly #context: ServerContext;
  readonly #connections: Connections;
  readonly #grpc: GrpcServer;
  readonly #tls: boolean;
  readonly #members: (() => readonly ClusterMember[]) | undefined;
  #running = false;

  private constructor(options: StandInOptions) {
    const now = options.now ?? Date.now;
    const { rememberedIds, users, certificate } = options;
    if (users !== undefined && certificate === undefined) {
      throw new Error('users need a certificate: without TLS no credentials are sent');
    }
    this.#tls = certificate !== undefined;
    this.#members = options.members;
    this.store =
      options.store ??
      new EventStore({ now, ...(rememberedIds === undefined ? {} : { rememberedIds }) });
    this.faults = new Faults(() => {
      for (const subscription of this.#context.subscriptions) subscription.wake();
    });
    this.#context = new ServerContext({
      store: this.store,
      faults: this.faults,
      observed: this.observed,
      now,
      maxAppendSize: options.maxAppendSize ?? MAX_APPEND_SIZE,
      serverVersion: options.serverVersion ?? '24.10.4',
      users: users === undefined ? undefined : new Users(users),
      resetConnections: () => {
        this.resetConnections();
      },
      members: () => this.members,
      leader: () => {
        const leader = this.#leader;
        return leader?.port === this.port ? undefined : leader;
      },
    });
    this.#grpc = createGrpcServer(
      this.#context,
      options.maxStreamsPerConnection ?? MAX_STREAMS_PER_CONNECTION,
      certificate,
    );
    this.#connections = new Connections({
      onConnection: (connection) => {
        this.#grpc.serve(connection);
      },
      onOpened: () => {
        this.observed.connectionOpened();
      },
      onClosed: () => {
        this.observed.connectionClosed();
      },
    });
  }

  static async start(options: StandInOptions = {}): Promise<EventStoreStandIn> {
    const standIn = new EventStoreStandIn(options);
    await standIn.#connections.listen(options.port ?? 0);
    standIn.#running = true;
    return standIn;
  }

  get port(): number {
    return this.#connections.port;
  }

  get connectionString(): string {
    return `esdb://127.0.0.1:${this.port}?tls=${this.#tls}`;
  }

  /** What gossip tells. */
  get members(): readonly ClusterMember[] {
    const alone: ClusterMember = {
      host: '127.0.0.1',
      port: this.port,
      state: 'leader',
      alive: true,
    };
    return this.#members?.() ?? [alone];
  }

  get running(): boolean {
    return this.#running;
  }

  /** Takes the server down. What was stored stays. */
  async stop(death: Death = 'kill'): Promise<void> {
    if (!this.#running) return;
    this.#running = false;
    this.#context.die();
    if (death !== 'kill') {
      this.#connections.thaw(false);
      const end = death === 'shutdown' ? 'shutting-down' : 'handler-exception';
      this.#end(this.#context.subscriptions, end);
      this.#end(this.#context.batchStreams, 'shutting-down');
      const told = this.observed.until((seen) => seen.open() === 0 || seen.connections === 0);
      // A client that reads nothing any more does not hold it up.
      await Promise.race([told, setTimeout(SHUTDOWN_MS, undefined, { ref: false })]);
    }
    await this.#connections.stop();
  }

  /** Brings a stopped server up again on its port. It remembers no event ids. */
  async comeBack(): Promise<void> {
    if (this.#running) return;
    if (this.#leader?.port === this.port) this.store.beginEpoch();
    await this.#connections.listen(this.port);
    this.#running = true;
  }

  async restart(death: Death = 'kill'): Promise<void> {
    await this.stop(death);
    await this.comeBack();
  }

  /** Stops answering anything, pings too, with every connection open; new ones wait. */
  freeze(): void {
    this.#connections.freeze();
  }

  /** Goes on. After a long freeze, or when told so, connections are dropped with what is in
   * them: a server that slept that long finds them dead. */
  thaw(options: { readonly dropped?: boolean } = {}): void {
    this.#connections.thaw(options.dropped);
  }

  /** Resets every connection; the server stays up. */
  resetConnections(): void {
    this.#connections.reset();
  }

  /** Ends every open batch stream, with OK (half-closed) where no failure is named. */
  endBatchStreams(failure?: CallFailure): void {
    this.#end(this.#context.batchStreams, failure);
  }

  /** Ends every subscription, with OK (the quiet end) where no failure is named. */
  endSubscriptions(failure?: CallFailure): void {
    this.#end(this.#context.subscriptions, failure);
  }

  async close(): Promise<void> {
    await this.stop();
    this.#grpc.close();
  }

  get #leader(): ClusterMember | undefined {
    return this.members.find(({ state }) => state === 'leader');
  }

  #end(calls: Iterable<OpenCall>, failure: CallFailure | undefined): void {
    for (const call of [...calls]) {
      if (failure === undefined) call.endQuietly();
      else call.endWith(callFailure(failure));
    }
  }
}
