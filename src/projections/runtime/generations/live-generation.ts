/** One generation that follows the log: its rows, its runner, and its place in readers' eyes. */
import type { EventLog, StoredEvent } from '../../../events/log/event-log.js';
import { LOG_START, type Position } from '../../../events/log/position.js';
import type { GenerationRecord } from '../../read-model/projection-catalog.js';
import type { ReadModel, RowEntry, RowWrite } from '../../read-model/read-model.js';
import type { Checkpoint } from '../checkpoint.js';
import { systemClock } from '../clock.js';
import type { RunnerOptions } from '../consumer.js';
import type { Projection } from '../define-projection.js';
import type { DiscardSet } from '../discard-set.js';
import { foldBatch } from '../fold-batch.js';
import { CommitGate } from '../parking/commit-gate.js';
import { PositionWaiters } from '../position-waiters.js';
import { Refusal } from '../refusal.js';
import { Runner } from '../runner.js';
import { VisibleRows } from './visible-rows.js';

/** What a generation tells the projection it belongs to. */
export interface GenerationEvents<Row> {
  /** True when someone wants every state that a key goes through. */
  follows(generation: LiveGeneration<Row>, key: string): boolean;
  /** A batch is committed. Called before anyone learns of its position. */
  committed(
    generation: LiveGeneration<Row>,
    entries: readonly RowEntry<Row>[],
    steps: ReadonlyMap<string, readonly RowWrite<Row>[]>,
  ): void;
  /** Does somebody wait for what is not folded yet? */
  isAwaited(generation: LiveGeneration<Row>): boolean;
  /** Its rows may not be served, nor folded on. */
  refused(generation: LiveGeneration<Row>): void;
  /** Everything up to here is committed. */
  reached(generation: LiveGeneration<Row>, position: Position): void;
}

export class LiveGeneration<Row> {
  readonly rows: ReadModel<Row>;
  readonly refusal: Refusal;
  readonly runner: Runner;
  readonly #projection: Projection<Row>;
  readonly #events: GenerationEvents<Row>;
  readonly #waiters: PositionWaiters;
  readonly #discards: DiscardSet;
  readonly #gate = new CommitGate();
  #record: GenerationRecord;
  /** True while readers are answered from it. */
  serves = false;
  #visible: VisibleRows<Row>;

  /**
   * @param rows opened for it; closed by {@link stop}
   * @param discards what its fold passes over, also what is added later
   */
  constructor(
    log: EventLog,
    projection: Projection<Row>,
    record: GenerationRecord,
    rows: ReadModel<Row>,
    discards: DiscardSet,
    events: GenerationEvents<Row>,
    options: RunnerOptions,
  ) {
    this.rows = rows;
    this.refusal = new Refusal(projection.name);
    this.#projection = projection;
    this.#discards = discards;
    this.#events = events;
    this.#record = record;
    this.#visible = new VisibleRows(record);
    this.#waiters = new PositionWaiters(options.clock ?? systemClock);
    this.runner = new Runner(
      log,
      {
        name: projection.name,
        prefix: projection.prefix,
        checkpoint: () => rows.checkpoint(),
        commit: (batch, checkpoint) => this.#gate.pass(() => this.#fold(batch, checkpoint)),
        reached: (position) => {
          this.#waiters.release(position);
          this.#events.reached(this, position);
        },
        isAwaited: () => this.#waiters.size > 0 || this.#events.isAwaited(this),
        refused: (reason) => {
          this.refuse(reason);
        },
      },
      { ...options, gatherMs: projection.gatherMs ?? options.gatherMs ?? 0 },
    );
  }

  /** Nothing is served from it from here on, nor folded into it. */
  refuse(reason: unknown): Error {
    const first = this.refusal.error === undefined;
    const error = this.refusal.set(reason);
    if (first) this.#events.refused(this);
    return error;
  }

  get number(): number {
    return this.#record.generation;
  }

  get record(): GenerationRecord {
    return this.#record;
  }

  /** From now on readers see it with the bases of this record. */
  set record(record: GenerationRecord) {
    this.#record = record;
    this.#visible = new VisibleRows(record);
  }

  /** Its rows as readers see them. */
  get visible(): VisibleRows<Row> {
    return this.#visible;
  }

  /** As {@link ProjectionReader.reached}, for this generation alone. */
  reached(position: Position, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    return this.#waiters.wait(position, timeoutMs, signal);
  }

  /**
   * Lets the commit in hand finish, then lets none begin: it stands at its position.
   *
   * @returns lets commits go on; may be called again
   */
  hold(): Promise<() => void> {
    return this.#gate.hold();
  }

  /** Everything up to here is folded. */
  async position(): Promise<Position> {
    return this.runner.position ?? (await this.rows.checkpoint())?.position ?? LOG_START;
  }

  /** See {@link Runner.stop}. Then the rows are closed. */
  async stop(deadlineMs: number): Promise<void> {
    await this.runner.stop(deadlineMs);
    this.#waiters.close();
    await this.rows.close();
  }

  async #fold(events: readonly StoredEvent[], checkpoint: Checkpoint): Promise<void> {
    // What was met while reading ends the folding, too.
    if (this.refusal.error !== undefined) throw this.refusal.error.cause;
    const projection = this.#projection;
    const keys = events.map((event) =>
      this.#discards.has(event) ? undefined : projection.key(event),
    );
    const wanted = new Set<string>();
    for (const key of keys) if (key !== undefined) wanted.add(key);
    const stored = await this.rows.load(wanted);
    const folded = foldBatch(
      projection,
      events,
      keys,
      stored,
      (key) => this.#events.follows(this, key),
      this.serves ? this.#visible.firstEpoch : 0,
    );
    const entries = await this.rows.commit(folded.writes, checkpoint, events.length);
    // Whoever is told of a change can read it: it is committed.
    this.#events.committed(this, entries, folded.steps);
  }
}
