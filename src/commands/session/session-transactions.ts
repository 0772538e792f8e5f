/** Runs a session's decisions on the command runtime: names the stream, makes the events. */
import { randomUUID } from 'node:crypto';
import type { NewEvent } from '../../events/log/event-log.js';
import { SCHEMA_VERSION } from '../../events/metadata.js';
import { sessionKey, sessionStream, type SessionRef } from '../../events/session-stream.js';
import type { TodoCounts } from '../../events/todo.js';
import { CommandRefusedError, type Refusal } from '../refusals.js';
import type { CommandRuntime, Transaction } from '../runtime/command-runtime.js';
import type { KnownCommand, Placement } from '../runtime/decider.js';
import { loadFirstEvent, loadToBoundary, type LoadStream } from '../runtime/load-stream.js';
import { asFailure } from '../runtime/settle-append.js';
import { StateCache, type StateCacheOptions } from '../runtime/state-cache.js';
import type { SessionDecision } from './checks.js';
import type { CommandEnvelope } from './session-commands.js';
import { sessionFold } from './session-fold.js';
import type { SessionState, StreamEvent } from './session-state.js';

/** A decision about a session, on its state and the command ids of its latest turn. */
export type Decide = (state: SessionState, known: KnownCommand | undefined) => SessionDecision;

const CACHE: StateCacheOptions = { maxStates: 20_000, maxBytes: 64 * 1024 * 1024 };

export class SessionTransactions {
  readonly #cache: StateCache<SessionState, StreamEvent>;
  readonly #loadLatestTurn: LoadStream<SessionState, StreamEvent>;
  readonly #loadFirstEvent: LoadStream<SessionState, StreamEvent>;

  constructor(
    private readonly runtime: CommandRuntime,
    cache: StateCacheOptions = CACHE,
  ) {
    const { log } = runtime;
    this.#cache = new StateCache(cache);
    this.#loadLatestTurn = (stream) => loadToBoundary(log, sessionFold, stream);
    this.#loadFirstEvent = (stream) => loadFirstEvent(log, sessionFold, stream);
  }

  /** Decides on the session as its latest turn shows it. */
  inSession(session: SessionRef, envelope: CommandEnvelope, decide: Decide): Promise<Placement> {
    return this.#transact(session, envelope, decide, {
      load: this.#loadLatestTurn,
      cache: this.#cache,
    });
  }

  /** Decides on the session as its first event shows it. */
  atFirstEvent(session: SessionRef, envelope: CommandEnvelope, decide: Decide): Promise<Placement> {
    return this.#transact(session, envelope, decide, { load: this.#loadFirstEvent });
  }

  /**
   * The session as the log holds it now.
   *
   * @throws {CommandFailedError} `store_unavailable`
   */
  async read(session: SessionRef): Promise<SessionState> {
    try {
      return (await this.#loadLatestTurn(sessionStream(session))).state;
    } catch (error) {
      throw asFailure(error);
    }
  }

  /** Counts of the list as it stands; undefined where there is no session to have one. */
  async standingCounts(session: SessionRef): Promise<TodoCounts | undefined> {
    const state = await this.read(session);
    return state.kind === 'live' ? state.counts : undefined;
  }

  /** @throws {CommandRefusedError} | {CommandFailedError} */
  async #transact(
    session: SessionRef,
    envelope: CommandEnvelope,
    decide: Decide,
    from: Pick<Transaction<SessionState, StreamEvent, Refusal>, 'load' | 'cache'>,
  ): Promise<Placement> {
    // Field by field, not spread: V8 makes a new hidden class for each object spread like that.
    const outcome = await this.runtime.transact<SessionState, StreamEvent, Refusal>({
      load: from.load,
      cache: from.cache,
      stream: sessionStream(session),
      commandId: envelope.commandId,
      decide,
      toNewEvents: (events) => events.map((event) => toNewEvent(session, envelope, event)),
    });
    if (outcome.kind === 'refused') throw new CommandRefusedError(outcome.refusal);
    return outcome.at;
  }
}

function toNewEvent(
  session: SessionRef,
  { commandId, actor, traceparent }: CommandEnvelope,
  event: StreamEvent,
): NewEvent {
  if (event.type === 'unreadable') throw new TypeError('an unreadable event is never decided');
  const metadata = {
    $correlationId: sessionKey(session),
    $causationId: commandId,
    schemaVersion: SCHEMA_VERSION,
    actor: { kind: actor.kind, subject: actor.subject },
  };
  return {
    id: randomUUID(),
    type: event.type,
    data: event.data,
    metadata: traceparent === undefined ? metadata : { ...metadata, traceparent },
  };
}
