/** Hands committed changes to those who follow a key, or all keys. */
import type { RowEntry } from '../read-model/read-model.js';

export type ChangeListener<Row> = (entry: RowEntry<Row>) => void;

export class ChangeFeed<Row> {
  readonly #byKey = new Map<string, Set<ChangeListener<Row>>>();
  readonly #all = new Set<ChangeListener<Row>>();
  readonly #report: (error: unknown) => void;

  /** @param report is told what a listener throws */
  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  /** True when someone follows this key: only then are its states in between kept. */
  follows(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Every key that someone follows. */
  get followedKeys(): string[] {
    return [...this.#byKey.keys()];
  }

  /**
   * Follows one key.
   *
   * @returns ends it; may be called again
   */
  subscribe(key: string, listener: ChangeListener<Row>): () => void {
    // A listener given twice is two subscriptions.
    const own: ChangeListener<Row> = (entry) => {
      listener(entry);
    };
    const listeners = this.#byKey.get(key) ?? new Set();
    this.#byKey.set(key, listeners.add(own));
    return () => {
      if (listeners.delete(own) && listeners.size === 0) this.#byKey.delete(key);
    };
  }

  /**
   * Follows all keys: one entry for each key a commit changed, in the order of change numbers.
   *
   * @returns ends it; may be called again
   */
  subscribeAll(listener: ChangeListener<Row>): () => void {
    const own: ChangeListener<Row> = (entry) => {
      listener(entry);
    };
    this.#all.add(own);
    return () => {
      this.#all.delete(own);
    };
  }

  /** Tells the followers of the entry's key. */
  publish(entry: RowEntry<Row>): void {
    const listeners = this.#byKey.get(entry.key);
    if (listeners) this.#tell(listeners, entry);
  }

  /** Tells the followers of all keys. */
  publishToAll(entry: RowEntry<Row>): void {
    if (this.#all.size > 0) this.#tell(this.#all, entry);
  }

  #tell(listeners: ReadonlySet<ChangeListener<Row>>, entry: RowEntry<Row>): void {
    // A copy: who subscribes or leaves while being told changes the next round, not this one.
    for (const listener of [...listeners]) {
      if (!listeners.has(listener)) continue;
      try {
        listener(entry);
      } catch (error) {
        this.#report(error);
      }
    }
  }
}
