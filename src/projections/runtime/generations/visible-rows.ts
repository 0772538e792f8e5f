/**
 * Rows as readers see them. Epochs and change numbers of a generation begin at 0 in its rows; its
 * bases lift them above everything that was served before, without a write to any row.
 */
import type { ServingBases } from '../../read-model/projection-catalog.js';
import type { RowEntry } from '../../read-model/read-model.js';

export class VisibleRows<Row> {
  readonly #bases: ServingBases;
  /** Entries are shared by all who read them, and so are they as readers see them. */
  readonly #made = new WeakMap<RowEntry<Row>, RowEntry<Row>>();

  constructor(bases: ServingBases) {
    this.#bases = bases;
  }

  /** The entry as readers see it, always the same one for the same entry. */
  of(entry: RowEntry<Row>): RowEntry<Row> {
    const { epochBase, changeBase } = this.#bases;
    if (epochBase === 0 && changeBase === 0) return entry;
    const known = this.#made.get(entry);
    if (known) return known;
    const visible = {
      ...entry,
      epoch: entry.epoch + epochBase,
      change: entry.change + changeBase,
    };
    this.#made.set(entry, visible);
    return visible;
  }

  /** The epoch of a row that is first made while the generation serves: 0, as readers see it. */
  get firstEpoch(): number {
    return 0 - this.#bases.epochBase;
  }

  /** A change number of this generation as readers know it. */
  change(own: number): number {
    return own + this.#bases.changeBase;
  }

  /** What a change number that readers know is in this generation; below 0: before all of it. */
  ownChange(visible: number): number {
    return visible - this.#bases.changeBase;
  }
}
