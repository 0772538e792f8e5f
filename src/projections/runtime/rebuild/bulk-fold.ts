/**
 * Folds a long part of the log: rows are held in memory and written when they are many, so that
 * a row that a thousand events change is written once or twice, not a thousand times.
 */
import type { StoredEvent } from '../../../events/log/event-log.js';
import { comparePositions, type Position } from '../../../events/log/position.js';
import type { ReadModel, RowWrite } from '../../read-model/read-model.js';
import { advance, startOf, type Checkpoint } from '../checkpoint.js';
import type { Clock } from '../clock.js';
import type { Consumer } from '../consumer.js';
import type { Projection } from '../define-projection.js';
import type { DiscardSet } from '../discard-set.js';
import { foldEvent } from '../fold-batch.js';
import { PoisonEventError } from './poison-event.js';

/** About how much of rows is held, by the size of their events, bytes. */
const HELD_BYTES = 24 * 1_048_576;
const ROW_BYTES = 300;
/** A killed job folds no more than this again, milliseconds. */
const FLUSH_EVERY_MS = 5_000;

export interface BulkFoldOptions<Row> {
  readonly projection: Projection<Row>;
  readonly rows: ReadModel<Row>;
  readonly discards: DiscardSet;
  readonly clock: Clock;
  /** Folds what lies up to here, and nothing later. */
  readonly until?: Position | undefined;
  /** Told after each batch. */
  readonly reached: (position: Position) => void;
  /** Asked before rows are written; a rejection ends the job. */
  readonly mayWrite: () => Promise<void>;
  /** About how much of rows is held, bytes. */
  readonly heldBytes?: number | undefined;
}

export class BulkFold<Row> implements Consumer {
  readonly name: string;
  readonly prefix: string;
  readonly #options: BulkFoldOptions<Row>;
  #held = new Map<string, RowWrite<Row>>();
  /** The size of the greatest event of each held row: its list, and perhaps one before it. */
  #sizes = new Map<string, number>();
  #heldBytes = 0;
  /** Folded since the last write. */
  #events = 0;
  /** Everything up to here is folded, if not written. */
  #checkpoint: Checkpoint | undefined;
  #writtenAt: number;
  #folded = 0;

  constructor(options: BulkFoldOptions<Row>) {
    this.name = options.projection.name;
    this.prefix = options.projection.prefix;
    this.#options = options;
    this.#writtenAt = options.clock.now();
  }

  /** How many events were folded since it was made. */
  get folded(): number {
    return this.#folded;
  }

  async checkpoint(): Promise<Checkpoint | undefined> {
    return this.#checkpoint ?? (await this.#options.rows.checkpoint());
  }

  async commit(events: readonly StoredEvent[], checkpoint: Checkpoint): Promise<void> {
    const { until, clock, heldBytes = HELD_BYTES } = this.#options;
    const wanted = until
      ? events.filter(({ position }) => comparePositions(position, until) <= 0)
      : events;
    const reached =
      until && comparePositions(checkpoint.position, until) > 0
        ? advance(this.#checkpoint ?? startOf(checkpoint.logId), until, wanted.at(-1))
        : checkpoint;
    await this.#fold(wanted);
    // From here on these events are not folded again, also where the write fails.
    this.#checkpoint = reached;
    const late = clock.now() - this.#writtenAt >= FLUSH_EVERY_MS;
    if (this.#heldBytes >= heldBytes || late) await this.flush();
  }

  reached(position: Position): void {
    this.#options.reached(position);
  }

  /** Writes what is held, with its checkpoint, in one transaction. */
  async flush(): Promise<void> {
    if (this.#checkpoint === undefined) return;
    await this.#options.mayWrite();
    await this.#options.rows.commit([...this.#held.values()], this.#checkpoint, this.#events);
    this.#held = new Map();
    this.#sizes = new Map();
    this.#heldBytes = 0;
    this.#events = 0;
    this.#writtenAt = this.#options.clock.now();
  }

  /** A poison event ends the job: what is held then is never written. */
  async #fold(events: readonly StoredEvent[]): Promise<void> {
    const { projection, rows, discards } = this.#options;
    const keys = events.map((event) => (discards.has(event) ? undefined : projection.key(event)));
    const missing = new Set<string>();
    for (const key of keys) if (key !== undefined && !this.#held.has(key)) missing.add(key);
    const stored = await rows.load(missing);
    events.forEach((event, index) => {
      const key = keys[index];
      if (key === undefined) return;
      const before = this.#held.get(key) ?? stored.get(key);
      const after = foldEvent(projection, key, before, event, 0);
      if (after === undefined) return;
      if (after.parked !== undefined) throw new PoisonEventError(event, after.parked.reason);
      this.#hold(key, after, event.bytes);
    });
    this.#events += events.length;
    this.#folded += events.length;
  }

  #hold(key: string, row: RowWrite<Row>, bytes: number): void {
    this.#held.set(key, row);
    const known = this.#sizes.get(key);
    const size = 2 * bytes + ROW_BYTES;
    if (known !== undefined && known >= size) return;
    this.#sizes.set(key, size);
    this.#heldBytes += size - (known ?? 0);
  }
}
