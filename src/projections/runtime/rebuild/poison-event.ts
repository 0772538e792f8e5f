/** An event that a rebuild cannot fold. */
import type { StoredEvent } from '../../../events/log/event-log.js';

/**
 * A rebuild stops at such an event and names it; the running projection would park its key
 * instead. A person discards the event, or mends the fold.
 */
export class PoisonEventError extends Error {
  readonly code = 'poison_event';
  override readonly name = 'PoisonEventError';
  readonly stream: string;
  readonly revision: bigint;
  readonly eventId: string;

  /** @param reason what the fold said */
  constructor(
    event: StoredEvent,
    readonly reason: string,
  ) {
    super(
      `revision ${event.revision.toString()} of ${event.stream} cannot be folded: ${reason}; ` +
        'discard the event, or mend the fold, and rebuild again',
    );
    this.stream = event.stream;
    this.revision = event.revision;
    this.eventId = event.id;
  }
}
