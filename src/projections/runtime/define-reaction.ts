/** A side effect that follows the log: durable, in order, at least once for each event. */
import type { StoredEvent } from '../../events/log/event-log.js';
import { checkName } from './define-projection.js';

export interface Reaction {
  readonly name: string;
  /** Raised to go through the whole log again. */
  readonly version: number;
  /** Only events of streams whose name starts with this come. */
  readonly prefix: string;
  /** The events to be handled; the others are passed over. */
  readonly wants: (event: StoredEvent) => boolean;
  /**
   * Handles one event; the next one waits for it. It can come again, so doing it twice must
   * change nothing. A rejection is tried again, with backoff, for ever.
   *
   * @param signal aborts when the process can wait no longer
   */
  readonly handle: (event: StoredEvent, signal: AbortSignal) => Promise<void>;
}

/** What was checked here. */
const defined = new WeakSet();

/**
 * Defines a reaction. In a Nest application the one that provides what this returns runs it.
 *
 * @returns the very object, from now on recognised by {@link isReaction}
 * @throws {TypeError} the name or the version cannot be used
 */
export function defineReaction(reaction: Reaction): Reaction {
  checkName(reaction.name);
  if (!Number.isSafeInteger(reaction.version) || reaction.version < 1) {
    throw new TypeError(`the version of reaction ${reaction.name} must be a whole number from 1`);
  }
  defined.add(reaction);
  return reaction;
}

/** Is it what {@link defineReaction} returned? */
export function isReaction(value: unknown): value is Reaction {
  return typeof value === 'object' && value !== null && defined.has(value);
}
