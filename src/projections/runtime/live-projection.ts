/** A projection that runs: its fold, its rows, its changes and those who wait for it. */
import type { EventLog, StoredEvent } from '../../events/log/event-log.js';
import type { Position } from '../../events/log/position.js';
import type { ReadModel, ReadModels, RowEntry, RowWrite } from '../read-model/read-model.js';
import { ChangeFeed, type ChangeListener } from './change-feed.js';
import type { Checkpoint } from './checkpoint.js';
import { systemClock } from './clock.js';
import type { Consumer, RunnerOptions } from './consumer.js';
import type { Projection } from './define-projection.js';
import { foldBatch } from './fold-batch.js';
import { PositionWaiters } from './position-waiters.js';
import type { ProjectionReader } from './projection-reader.js';
import { Runner } from './runner.js';
import type { RunnerStatus } from './runner-progress.js';

/** The generation that is served. Rebuilds will add others. */
const FIRST_GENERATION = 1;

export interface ProjectionStatus extends RunnerStatus {
  readonly name: string;
  readonly version: number;
  readonly kind: 'projection' | 'reaction';
  /** How many keys stand still. */
  readonly parked: number;
}

/** Rows are asked for before the start or after the stop. */
export class ProjectionNotStartedError extends Error {
  readonly code = 'projection_not_started';
  override readonly name = 'ProjectionNotStartedError';
}

export class LiveProjection<Row> implements ProjectionReader<Row> {
  readonly #projection: Projection<Row>;
  readonly #feed: ChangeFeed<Row>;
  readonly #waiters: PositionWaiters;
  readonly #runner: Runner;
  #rows: ReadModel<Row> | undefined;

  constructor(log: EventLog, projection: Projection<Row>, options: RunnerOptions = {}) {
    this.#projection = projection;
    this.#waiters = new PositionWaiters(options.clock ?? systemClock);
    this.#feed = new ChangeFeed((error) => {
      options.report?.(`${projection.name}: a listener failed`, error);
    });
    const consumer: Consumer = {
      name: projection.name,
      prefix: projection.prefix,
      checkpoint: () => this.#open().checkpoint(),
      commit: (events, checkpoint) => this.#commit(events, checkpoint),
      reached: (position) => {
        this.#waiters.release(position);
      },
    };
    this.#runner = new Runner(log, consumer, options);
  }

  get name(): string {
    return this.#projection.name;
  }

  /**
   * Opens the rows and starts to follow the log in the background.
   *
   * @throws {UnusableReadModelError}
   */
  async start(readModels: ReadModels): Promise<void> {
    this.#rows ??= await readModels.open(this.#projection, FIRST_GENERATION);
    this.#runner.start();
  }

  /** Settles at the first catch-up; rejects if it stops before. */
  caughtUp(): Promise<void> {
    return this.#runner.caughtUp();
  }

  /** See {@link Runner.stop}. Every wait ends, then the rows are closed. */
  async stop(deadlineMs: number): Promise<void> {
    await this.#runner.stop(deadlineMs);
    this.#waiters.close();
    await this.#rows?.close();
    this.#rows = undefined;
  }

  async get(key: string): Promise<RowEntry<Row> | undefined> {
    return this.#open().get(key);
  }

  reached(position: Position, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    return this.#waiters.wait(position, timeoutMs, signal);
  }

  subscribe(key: string, listener: ChangeListener<Row>): () => void {
    return this.#feed.subscribe(key, listener);
  }

  /** Every key's changes, one for each commit that changes it, by rising change number. */
  subscribeAll(listener: ChangeListener<Row>): () => void {
    return this.#feed.subscribeAll(listener);
  }

  /** @param head where the log ends; undefined where that is not known */
  async status(head: Position | undefined): Promise<ProjectionStatus> {
    const { name, version } = this.#projection;
    const parked = (await this.#rows?.countParked()) ?? 0;
    return { name, version, kind: 'projection', ...this.#runner.status(head), parked };
  }

  async #commit(events: readonly StoredEvent[], checkpoint: Checkpoint): Promise<void> {
    const rows = this.#open();
    const projection = this.#projection;
    const keys = events.map(projection.key);
    const wanted = new Set<string>();
    for (const key of keys) if (key !== undefined) wanted.add(key);
    const stored = await rows.load(wanted);
    const folded = foldBatch(projection, events, keys, stored, (key) => this.#feed.follows(key));
    const entries = await rows.commit(folded.writes, checkpoint);
    // Whoever is told of a change can read it: it is committed.
    for (const entry of entries) this.#publish(entry, folded.steps.get(entry.key));
  }

  #publish(entry: RowEntry<Row>, steps: readonly RowWrite<Row>[] = []): void {
    // The last step is the entry itself, shared with those who read it.
    for (const step of steps.slice(0, -1)) this.#feed.publish({ ...step, change: entry.change });
    this.#feed.publish(entry);
    this.#feed.publishToAll(entry);
  }

  #open(): ReadModel<Row> {
    if (this.#rows) return this.#rows;
    throw new ProjectionNotStartedError(`projection ${this.name} is not running: start its host`);
  }
}
