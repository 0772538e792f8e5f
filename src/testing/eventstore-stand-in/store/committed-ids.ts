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
  /** The ids by age, in a ring: a map finds its oldest key slowly once many were deleted. */
  readonly #ring: string[] = [];
  #oldest = 0;

  constructor(limit = DEFAULT_REMEMBERED_IDS) {
    this.#limit = limit;
  }

  get(id: string): CommittedId | undefined {
    return this.#ids.get(id);
  }

  add(id: string, committed: CommittedId): void {
    const known = this.#ids.has(id);
    this.#ids.set(id, committed);
    if (known) return;
    if (this.#ring.length < this.#limit) {
      this.#ring.push(id);
      return;
    }
    const forgotten = this.#ring[this.#oldest];
    if (forgotten !== undefined) this.#ids.delete(forgotten);
    this.#ring[this.#oldest] = id;
    this.#oldest = (this.#oldest + 1) % this.#limit;
  }

  forget(): void {
    this.#ids.clear();
    this.#ring.length = 0;
    this.#oldest = 0;
  }
}
