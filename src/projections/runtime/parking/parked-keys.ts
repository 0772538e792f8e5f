/**
 * The keys of a projection that stand still at an event that could not be folded: who they are,
 * and the two ways on. Both fold the key's events anew and end between two commits, so that
 * nothing is folded twice and nothing is missed.
 */
import type { EventLog } from '../../../events/log/event-log.js';
import type { Discard } from '../../read-model/projection-catalog.js';
import type { Parked, ReadModel, RowEntry } from '../../read-model/read-model.js';
import type { Clock } from '../clock.js';
import type { Projection } from '../define-projection.js';
import type { DiscardSet } from '../discard-set.js';
import { KeyReread } from './key-reread.js';

/** A key that stands still. */
export interface ParkedKey {
  readonly key: string;
  /** The event that could not be folded, and why. */
  readonly parked: Parked;
}

/** What became of a key that was folded anew. */
export interface UnparkedKey {
  readonly key: string;
  /** Where it stands still again; undefined where it follows the log now. */
  readonly parked: Parked | undefined;
}

/** The generation whose keys they are, while it follows the log. */
export interface ParkingPlace<Row> {
  readonly rows: ReadModel<Row>;
  /**
   * Lets the commit in hand finish, then lets none begin.
   *
   * @returns lets commits go on
   */
  hold(): Promise<() => void>;
  /** Rows were changed between two batches. Called before the next one. */
  repaired(entries: readonly RowEntry<Row>[]): void;
}

/** What is kept of discarded events. */
export interface KeptDiscards {
  /** What the fold passes over; added to by {@link ParkedKeys.discard}. */
  readonly set: DiscardSet;
  /** Makes one durable. */
  readonly keep: (discard: Discard) => Promise<void>;
}

/** The key does not stand still, or there is no such key. Nothing was changed. */
export class NotParkedError extends Error {
  readonly code = 'not_parked';
  override readonly name = 'NotParkedError';

  constructor(readonly key: string) {
    super(`${key} is not parked; list what is parked`);
  }
}

export class ParkedKeys<Row> {
  readonly #log: EventLog;
  readonly #projection: Projection<Row>;
  readonly #discards: KeptDiscards;
  readonly #clock: Clock;
  /** One at a time: a retry must know what a discard before it has passed over. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(log: EventLog, projection: Projection<Row>, discards: KeptDiscards, clock: Clock) {
    this.#log = log;
    this.#projection = projection;
    this.#discards = discards;
    this.#clock = clock;
  }

  /**
   * A page of them, by rising key.
   *
   * @param after the last key of the page before
   */
  async list(rows: ReadModel<Row>, limit: number, after?: string): Promise<readonly ParkedKey[]> {
    const entries = await rows.parked(after, limit);
    return entries.flatMap(({ key, parked }) => (parked ? [{ key, parked }] : []));
  }

  /**
   * Folds the key's events anew with the fold as it is now, passing over what was discarded.
   *
   * @throws {NotParkedError}
   * @throws {UnavailableError} the log cannot be read; the key stands as it did
   */
  retry(place: ParkingPlace<Row>, key: string): Promise<UnparkedKey> {
    return this.#inTurn(() => this.#retry(place, key));
  }

  /**
   * Records, for this generation and every later one, that the event at which the key stands is
   * passed over; then as {@link retry}. An event behind it that cannot be folded parks it again.
   *
   * @throws {NotParkedError}
   * @throws {UnavailableError} as {@link retry}; the record may stand already
   */
  discard(place: ParkingPlace<Row>, key: string): Promise<UnparkedKey> {
    return this.#inTurn(async () => {
      await this.#passOver(key, await this.#parkedAt(place, key));
      return this.#retry(place, key);
    });
  }

  async #retry(place: ParkingPlace<Row>, key: string): Promise<UnparkedKey> {
    await this.#parkedAt(place, key);
    const { rows } = place;
    const reread = new KeyReread(this.#log, this.#projection, key, this.#discards.set);
    const begun = await rows.checkpoint();
    // Most of it, while the projection goes on.
    if (begun) await reread.advanceTo(begun.position);
    const release = await place.hold();
    try {
      // A deletion that was folded meanwhile has ended the parking.
      const now = await rows.get(key);
      const checkpoint = await rows.checkpoint();
      if (now?.parked === undefined || checkpoint === undefined) throw new NotParkedError(key);
      await reread.advanceTo(checkpoint.position);
      const { folded } = reread;
      // Readers may see another row at a revision that they know.
      const epoch = now.epoch + 1 + folded.epoch;
      place.repaired(await rows.commit([{ ...folded, epoch }], checkpoint));
      return { key, parked: folded.parked };
    } finally {
      release();
    }
  }

  async #parkedAt({ rows }: ParkingPlace<Row>, key: string): Promise<Parked> {
    const entry = await rows.get(key);
    if (entry?.parked === undefined) throw new NotParkedError(key);
    return entry.parked;
  }

  async #passOver(key: string, { stream, revision }: Parked): Promise<void> {
    const page = this.#log.read(stream, { direction: 'forwards', from: revision, limit: 1 });
    for await (const event of page) {
      // An event that is gone needs no passing over.
      if (event.revision !== revision) return;
      const at = new Date(this.#clock.now()).toISOString();
      const discard = { key, stream, revision, eventId: event.id, at };
      await this.#discards.keep(discard);
      this.#discards.set.add(discard);
    }
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#last.then(run);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
