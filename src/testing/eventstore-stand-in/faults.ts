/**
 * The fault switches: what a test can make the stand-in do wrong, while it runs. Every switch
 * stays as it is set until it is set anew or cleared.
 */
import type { CallFailure } from './wire/statuses.js';

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** Kinds of calls that a switch may concern. */
export type CallKind = 'append' | 'read' | 'subscribe' | 'delete' | 'features' | 'gossip';

/** How an append that is picked by {@link FailedAppends} goes wrong. */
export type AppendFailure =
  | CallFailure
  /** Every connection is reset: "read ECONNRESET". */
  | 'reset'
  /** The call ends with OK and without an answer: a half-closed batch stream. */
  | 'end-ok'
  /** Nothing is answered. */
  | 'silence'
  /** The answer is the server's own write timeout: the client must send the same again. */
  | 'timeout-reply'
  /** A batch append is answered by an error that the client does not know. */
  | 'unknown-reply';

export interface FailedAppends {
  readonly how: AppendFailure;
  /** Whether the events are stored before it goes wrong. */
  readonly when: 'before-commit' | 'after-commit';
  /** How many appends fail. Default: all until cleared. */
  readonly times?: number;
  /** How many appends pass before the first that fails. Default 0. */
  readonly after?: number;
  /** Only appends to streams whose name starts with this. */
  readonly streamPrefix?: string;
}

export interface FaultSwitches {
  /** Appends get no answer; they are stored, or thrown away. Other calls work. */
  readonly silentAppends: 'stored' | 'dropped' | false;
  /** Picks appends that go wrong before or after they are stored. */
  readonly failAppends: FailedAppends | false;
  /**
   * The phases of a start: in `all`, reads end UNAVAILABLE "Server Is Not Ready" and batch
   * appends are answered by an error of that text, which the client shows as an UnknownError;
   * in `appends`, reads work already and appends do not.
   */
  readonly notReady: 'all' | 'appends' | false;
  /** Calls that require a leader end with `not-leader` trailers that name this one. */
  readonly notLeader: Endpoint | false;
  /** Calls of these kinds fail. On a batch stream that is open already, the next append ends it. */
  readonly failCalls: { readonly how: CallFailure; readonly calls: readonly CallKind[] } | false;
  /** Subscriptions stay open and nothing comes, not even a confirmation. Cleared, they go on. */
  readonly muteSubscriptions: boolean;
  /** How many times each event is delivered to subscribers. */
  readonly deliveries: number;
  /** Milliseconds before an append is stored, and before each message of a read. */
  readonly slow: { readonly appendMs?: number; readonly readMs?: number } | false;
  /** How far the server's clock is ahead of the client's: batch appends carry an absolute
   * deadline, and one that is past is answered by a timeout at once. */
  readonly clockAheadMs: number;
  /** Reads and subscriptions of `$all` are denied, as to a user outside `$admins`; or all calls
   * but `features` and `gossip`, as to nobody. */
  readonly deny: 'all-stream' | 'everything' | false;
  /**
   * Checkpoints as older servers sent them: the prepare position 0, both positions the greatest
   * number, the same one again and again, or none at all.
   */
  readonly checkpoints: 'right' | 'prepare-zero' | 'greatest' | 'repeated' | 'none';
  /** An append that repeats what is stored is a conflict, also at its exact revision: as servers
   * were seen to answer after a change of leader. */
  readonly forgetful: boolean;
  /** Events of streams whose name begins with this reach subscribers as links whose event is
   * gone: without an event. */
  readonly absentEvents: string | false;
}

export const NO_FAULTS: FaultSwitches = {
  silentAppends: false,
  failAppends: false,
  notReady: false,
  notLeader: false,
  failCalls: false,
  muteSubscriptions: false,
  deliveries: 1,
  slow: false,
  clockAheadMs: 0,
  deny: false,
  checkpoints: 'right',
  forgetful: false,
  absentEvents: false,
};

export class Faults {
  readonly #onChange: () => void;
  #switches: FaultSwitches = NO_FAULTS;
  #passed = 0;
  #failed = 0;

  constructor(onChange: () => void = () => undefined) {
    this.#onChange = onChange;
  }

  get switches(): FaultSwitches {
    return this.#switches;
  }

  /** Sets some switches and leaves the others. */
  set(switches: Partial<FaultSwitches>): void {
    this.#switches = { ...this.#switches, ...switches };
    if (switches.failAppends !== undefined) {
      this.#passed = 0;
      this.#failed = 0;
    }
    this.#onChange();
  }

  clear(): void {
    this.set(NO_FAULTS);
  }

  /** Whether this append goes wrong, and how. Counts it. */
  pickAppend(stream: string): FailedAppends | undefined {
    const failing = this.#switches.failAppends;
    if (failing === false || !stream.startsWith(failing.streamPrefix ?? '')) return undefined;
    if (this.#failed >= (failing.times ?? Infinity)) return undefined;
    if (this.#passed < (failing.after ?? 0)) {
      this.#passed += 1;
      return undefined;
    }
    this.#failed += 1;
    return failing;
  }
}
