/**
 * What every served call needs: the log, the switches, the observations, and the life of the
 * pretended server process, in which delayed work dies with it.
 */
import type { Metadata } from '@grpc/grpc-js';
import type { CallKind, Endpoint, Faults } from './faults.js';
import type { Observations } from './observations.js';
import type { EventStore } from './store/event-store.js';
import type { Action, Users } from './users.js';
import { callFailure, notLeader, type CallStatus } from './wire/statuses.js';

/** The most bytes in one append, as in 24.10 and 25.0. */
export const MAX_APPEND_SIZE = 1_048_576;

/** A call that the stand-in can end from outside. */
export interface OpenCall {
  endWith(status: CallStatus): void;
  /** The quiet end: status OK. */
  endQuietly(): void;
}

export interface LiveSubscription extends OpenCall {
  wake(): void;
}

/** A member of the cluster, as gossip tells of it. */
export interface ClusterMember extends Endpoint {
  readonly state: 'leader' | 'follower' | 'read-only-replica' | 'catching-up';
  readonly alive: boolean;
}

export interface ServerContextOptions {
  readonly store: EventStore;
  readonly faults: Faults;
  readonly observed: Observations;
  readonly now: () => number;
  readonly maxAppendSize: number;
  readonly serverVersion: string;
  /** Who may do what; undefined where everybody may do everything. */
  readonly users: Users | undefined;
  readonly resetConnections: () => void;
  readonly members: () => readonly ClusterMember[];
  /** Where the leader is, undefined while it is this server. */
  readonly leader: () => Endpoint | undefined;
}

export class ServerContext {
  readonly store: EventStore;
  readonly faults: Faults;
  readonly observed: Observations;
  readonly maxAppendSize: number;
  readonly serverVersion: string;
  readonly now: () => number;
  readonly resetConnections: () => void;
  readonly members: () => readonly ClusterMember[];
  readonly batchStreams = new Set<OpenCall>();
  readonly subscriptions = new Set<LiveSubscription>();
  readonly #leader: () => Endpoint | undefined;
  readonly #users: Users | undefined;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(options: ServerContextOptions) {
    this.store = options.store;
    this.faults = options.faults;
    this.observed = options.observed;
    this.now = options.now;
    this.maxAppendSize = options.maxAppendSize;
    this.serverVersion = options.serverVersion;
    this.resetConnections = options.resetConnections;
    this.members = options.members;
    this.#leader = options.leader;
    this.#users = options.users;
  }

  /** The error that a call must end with before it does anything, if there is one. */
  refusal(kind: CallKind, metadata: Metadata): CallStatus | undefined {
    const { failCalls, deny, notReady } = this.faults.switches;
    if (failCalls !== false && failCalls.calls.includes(kind)) return callFailure(failCalls.how);
    if (kind === 'features' || kind === 'gossip') return undefined;
    const leader = this.faults.switches.notLeader || this.#leader();
    if (leader !== undefined && metadata.get('requires-leader')[0] === 'true') {
      return notLeader(leader);
    }
    if (deny === 'everything') return callFailure('access-denied');
    const writes = kind === 'append' || kind === 'delete';
    if (notReady === 'all' || (notReady === 'appends' && writes)) return callFailure('not-ready');
    return undefined;
  }

  /** The error that a call must end with because its caller may not do this, if there is one. */
  denial(metadata: Metadata, action: Action, stream: string): CallStatus | undefined {
    return this.#users?.refusal(metadata, action, stream);
  }

  /** Does something later, unless the server is killed before. */
  later(milliseconds: number, task: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      task();
    }, milliseconds);
    this.#timers.add(timer);
  }

  /** Whatever was delayed never happens. */
  die(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}
