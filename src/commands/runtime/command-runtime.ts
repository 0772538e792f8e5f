/**
 * The command runtime: load, decide, append at the exact revision that was decided on, and on
 * a conflict load and decide again.
 */
import { EventLogError } from '../../events/log/errors.js';
import type { EventLog, NewEvent } from '../../events/log/event-log.js';
import { CommandFailedError } from './command-failed.js';
import type { Decision, KnownCommand, Placement } from './decider.js';
import { KeyedQueue } from './keyed-queue.js';
import type { LoadedStream } from './loaded-stream.js';
import type { LoadStream } from './load-stream.js';
import { appendAndSettle, asFailure } from './settle-append.js';
import type { StateCache } from './state-cache.js';
import { backoff, realTiming, type Timing } from './timing.js';

/** First and longest wait after a conflict, in milliseconds. */
const CONFLICT_BASE = 5;
const CONFLICT_CAP = 200;

export interface CommandRuntimeOptions {
  /** Times a command is decided anew after a conflict before it is `contended`. Default 8. */
  readonly conflictRetries?: number;
  /** How long an unknown outcome is looked into, in milliseconds. Default 10,000. */
  readonly settleMs?: number;
  /** Commands waiting or running before new ones are `overloaded`. Default 10,000. */
  readonly maxPending?: number;
  readonly timing?: Timing;
}

/** One command's way through the runtime. */
export interface Transaction<State, Event, Refusal> {
  readonly stream: string;
  /** Recorded with the events, and found again when it comes again. */
  readonly commandId: string;
  readonly load: LoadStream<State, Event>;
  /** Keeps states between commands. Without one every command loads. */
  readonly cache?: StateCache<State, Event> | undefined;
  /**
   * Pure. May be called more than once.
   *
   * @param known what the loaded part of the stream knows of the command id
   */
  decide(state: State, known: KnownCommand | undefined): Decision<Event, Refusal>;
  /** The events to store, with random ids. Called once a decision. */
  toNewEvents(events: readonly Event[]): NewEvent[];
}

/** What came of a command, with the state it leaves behind. */
export type Outcome<State, Refusal> =
  | { readonly kind: 'accepted'; readonly at: Placement; readonly state: State }
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly state: State };

export class CommandRuntime {
  readonly #queue: KeyedQueue;
  readonly #conflictRetries: number;
  readonly #settleMs: number;
  readonly #timing: Timing;

  constructor(
    readonly log: EventLog,
    options: CommandRuntimeOptions = {},
  ) {
    this.#queue = new KeyedQueue(options.maxPending ?? 10_000);
    this.#conflictRetries = options.conflictRetries ?? 8;
    this.#settleMs = options.settleMs ?? 10_000;
    this.#timing = options.timing ?? realTiming;
  }

  /** Commands waiting or running. */
  get pending(): number {
    return this.#queue.pending;
  }

  /**
   * 1. Wait for the commands of this stream that came before.
   * 2. Take the cached state, or load the stream.
   * 3. Decide. A refusal or "done before" that rests on a cached state is decided again on
   *    one read now: a cached state may only carry a command to its append.
   * 4. Append at exactly the revision the decision was made on; settle an unknown outcome.
   * 5. On a conflict forget the state, wait a little and go to 2, a bounded number of times.
   *
   * @throws {CommandFailedError} `overloaded`, `store_unavailable`, `contended`: nothing was
   * stored; `outcome_unknown`: it may have been
   */
  transact<State, Event, Refusal>(
    transaction: Transaction<State, Event, Refusal>,
  ): Promise<Outcome<State, Refusal>> {
    return this.#queue.run(transaction.stream, () => this.#run(transaction));
  }

  /** Resolves when the commands taken so far have settled. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  async #run<State, Event, Refusal>(
    transaction: Transaction<State, Event, Refusal>,
  ): Promise<Outcome<State, Refusal>> {
    const { stream, cache } = transaction;
    const cached = cache?.get(stream);
    if (cached !== undefined) {
      // Nearly always the id is new, and nothing is read.
      const decision = cached.holds(transaction.commandId)
        ? await this.#decide(transaction, cached)
        : transaction.decide(cached.state, undefined);
      if (decision.kind === 'append') {
        const outcome = await this.#append(transaction, cached, decision.events);
        if (outcome !== undefined) return outcome;
      }
    }
    for (let conflicts = 0; conflicts <= this.#conflictRetries; conflicts += 1) {
      if (conflicts > 0) await backoff(this.#timing, conflicts, CONFLICT_BASE, CONFLICT_CAP);
      const loaded = await failing(() => transaction.load(stream));
      const decision = await this.#decide(transaction, loaded);
      if (decision.kind === 'append') {
        const outcome = await this.#append(transaction, loaded, decision.events);
        if (outcome !== undefined) return outcome;
        continue;
      }
      cache?.put(stream, loaded);
      return decision.kind === 'done'
        ? { kind: 'accepted', at: decision.at, state: loaded.state }
        : { kind: 'refused', refusal: decision.refusal, state: loaded.state };
    }
    throw new CommandFailedError(
      'contended',
      'others keep writing this session; nothing was stored, try again',
    );
  }

  async #decide<State, Event, Refusal>(
    transaction: Transaction<State, Event, Refusal>,
    loaded: LoadedStream<State, Event>,
  ): Promise<Decision<Event, Refusal>> {
    const { stream, commandId } = transaction;
    const known = await failing(() => loaded.known(this.log, stream, commandId));
    return transaction.decide(loaded.state, known);
  }

  /** Undefined where the stream was not at the revision the decision was made on. */
  async #append<State, Event, Refusal>(
    transaction: Transaction<State, Event, Refusal>,
    loaded: LoadedStream<State, Event>,
    decided: readonly Event[],
  ): Promise<Outcome<State, Refusal> | undefined> {
    const { stream, commandId, cache } = transaction;
    const events = transaction.toNewEvents(decided);
    const append = { stream, expected: loaded.revision ?? 'no_stream', events } as const;
    let at: Placement | undefined;
    try {
      at = await appendAndSettle(this.log, append, this.#timing, this.#settleMs);
    } finally {
      // Until it is known to be stored, the state is behind its stream, or may be.
      if (at === undefined) cache?.drop(stream);
    }
    if (at === undefined) return undefined;
    loaded.addAppended(decided, commandId, at);
    const { state } = loaded;
    cache?.put(stream, loaded);
    return { kind: 'accepted', at, state };
  }
}

/** What the log cannot do becomes a failure of the command. */
async function failing<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof EventLogError ? asFailure(error) : error;
  }
}
