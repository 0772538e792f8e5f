/**
 * What a domain gives the command runtime: pure functions over its own state. The runtime
 * adds loading, appending, retries and the recognition of repeated commands.
 */
import type { StoredEvent } from '../../events/log/event-log.js';
import type { Position } from '../../events/log/position.js';

/** Where an event lies. */
export interface Placement {
  readonly revision: bigint;
  readonly position: Position;
}

/** An event of the domain as the stream holds it. */
export interface Recorded<Event> extends Placement {
  readonly event: Event;
  /** The command that caused it, undefined where the metadata does not say. */
  readonly commandId: string | undefined;
}

/** What the loaded part of the stream knows of the command's id: the latest use of it. */
export interface KnownCommand extends Placement {
  /** Stands for the content of the command: equal content gives an equal fingerprint. */
  readonly fingerprint: string;
}

/** The outcome of deciding. Only `append` may rest on a cached state. */
export type Decision<Event, Refusal> =
  | { readonly kind: 'append'; readonly events: readonly [Event, ...Event[]] }
  /** Done before: nothing is appended, and this is where its last event lies. */
  | { readonly kind: 'done'; readonly at: Placement }
  | { readonly kind: 'refuse'; readonly refusal: Refusal };

/**
 * How a stream is folded.
 *
 * @typeParam Event the domain's events, including one for "of ours but unreadable"
 */
export interface StreamFold<State, Event> {
  /** The state of a stream with no events of the domain. */
  readonly initial: State;
  /** The state where the readable part does not go back to a boundary, though it should. */
  readonly incomplete: State;
  /** Does a load that goes backwards end here, this event included? By its type alone. */
  isBoundary(type: string): boolean;
  /** The domain's event, undefined for a type that is not the domain's. Never throws. */
  parse(stored: StoredEvent): Event | undefined;
  /**
   * Does the event make earlier ones of its type of no account for the state? They are then
   * passed over unread, which keeps a load of very many cheap.
   */
  replacesEarlier(event: Event): boolean;
  /** The command that caused the event. */
  commandIdOf(stored: StoredEvent): string | undefined;
  /** Total over anything a stream can show. Pure. */
  evolve(state: State, recorded: Recorded<Event>): State;
  /** See {@link KnownCommand.fingerprint}. Pure. */
  fingerprint(event: Event): string;
}
