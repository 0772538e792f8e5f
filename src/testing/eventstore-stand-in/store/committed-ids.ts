/**
 * The event ids that a leader remembers having committed: the whole memory of idempotency for
 * appends that expect any revision. Bounded, filled by this node's own writes only, and gone
 * after a restart or a change of leader.
 */

export interface CommittedId {
  readonly stream: string;
  readonly revision: bigint;
}

/** The real cache holds 8 MiB, about 70,000 events. */
export const DEFAULT_REMEMBERED_IDS = 70_000;

export class CommittedIds {
  readonly #limit: number;
  readonly #ids = new Map<string, CommittedId>();

  constructor(limit = DEFAULT_REMEMBERED_IDS) {
    this.#limit = limit;
  }

  get(id: string): CommittedId | undefined {
    return this.#ids.get(id);
  }

  add(id: string, committed: CommittedId): void {
    this.#ids.delete(id);
    this.#ids.set(id, committed);
    if (this.#ids.size <= this.#limit) return;
    for (const oldest of this.#ids.keys()) {
      this.#ids.delete(oldest);
      break;
    }
  }

  forget(): void {
    this.#ids.clear();
  }
}
