/** The events that a person has told the fold to pass over. */
import type { StoredEvent } from '../../events/log/event-log.js';
import type { Discard } from '../read-model/projection-catalog.js';

export class DiscardSet {
  readonly #places = new Set<string>();

  constructor(discards: readonly Discard[] = []) {
    for (const discard of discards) this.add(discard);
  }

  add({ stream, revision, eventId }: Pick<Discard, 'stream' | 'revision' | 'eventId'>): void {
    this.#places.add(placeOf(stream, revision, eventId));
  }

  /** True when the fold passes over this event. */
  has({ stream, revision, id }: StoredEvent): boolean {
    // Nearly always there is none.
    return this.#places.size > 0 && this.#places.has(placeOf(stream, revision, id));
  }
}

function placeOf(stream: string, revision: bigint, id: string): string {
  return `${stream}@${revision.toString()}#${id}`;
}
