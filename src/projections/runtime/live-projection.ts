/** A projection that runs: its fold, its rows, its changes and those who wait for it. */
import type { EventLog, StoredEvent } from '../../events/log/event-log.js';
import type { Position } from '../../events/log/position.js';
import type { ProjectionCatalog } from '../read-model/projection-catalog.js';
import {
  UnusableReadModelError,
  type ReadModel,
  type ReadModels,
  type RowEntry,
  type RowWrite,
} from '../read-model/read-model.js';
import { ChangeFeed, type ChangeListener } from './change-feed.js';
import type { Checkpoint } from './checkpoint.js';
import { systemClock } from './clock.js';
import type { Consumer, RunnerOptions } from './consumer.js';
import type { Projection } from './define-projection.js';
import { DiscardSet } from './discard-set.js';
import { foldBatch } from './fold-batch.js';
import type { ManagedProjection } from './managed-projection.js';
import { CommitGate } from './parking/commit-gate.js';
import {
  ParkedKeys,
  type ParkedKey,
  type ParkingPlace,
  type UnparkedKey,
} from './parking/parked-keys.js';
import { PositionWaiters } from './position-waiters.js';
import type { ProjectionReader } from './projection-reader.js';
import { Refusal } from './refusal.js';
import { Runner } from './runner.js';
import { messageOf, type RunnerStatus } from './runner-progress.js';

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

export class LiveProjection<Row> implements ProjectionReader<Row>, ManagedProjection {
  readonly #projection: Projection<Row>;
  readonly #feed: ChangeFeed<Row>;
  readonly #waiters: PositionWaiters;
  readonly #refusal: Refusal;
  readonly #report: RunnerOptions['report'];
  readonly #runner: Runner;
  readonly #discards = new DiscardSet();
  readonly #parking: ParkedKeys<Row>;
  readonly #gate = new CommitGate();
  #rows: ReadModel<Row> | undefined;
  #catalog: ProjectionCatalog | undefined;
  /** Pausing and resuming, one after the other. */
  #lastOrder: Promise<unknown> = Promise.resolve();
  #paused: () => void = () => undefined;
  readonly #whenPaused = new Promise<void>((resolve) => (this.#paused = resolve));

  constructor(log: EventLog, projection: Projection<Row>, options: RunnerOptions = {}) {
    this.#projection = projection;
    this.#report = options.report;
    this.#refusal = new Refusal(projection.name);
    const clock = options.clock ?? systemClock;
    this.#waiters = new PositionWaiters(clock);
    const keep: ProjectionCatalog['discard'] = (discard) => this.#openCatalog().discard(discard);
    this.#parking = new ParkedKeys(log, projection, { set: this.#discards, keep }, clock);
    this.#feed = new ChangeFeed((error) => {
      options.report?.(`${projection.name}: a listener failed`, error);
    });
    const consumer: Consumer = {
      name: projection.name,
      prefix: projection.prefix,
      checkpoint: () => this.#open().checkpoint(),
      commit: (events, checkpoint) => this.#gate.pass(() => this.#commit(events, checkpoint)),
      reached: (position) => {
        this.#waiters.release(position);
      },
      isAwaited: () => this.#waiters.size > 0,
      refused: (reason) => {
        this.#refuse(reason);
      },
    };
    this.#runner = new Runner(log, consumer, options);
  }

  get name(): string {
    return this.#projection.name;
  }

  /**
   * Opens the rows, without following the log.
   *
   * @throws {UnusableReadModelError}
   */
  async open(readModels: ReadModels): Promise<void> {
    const catalog = (this.#catalog ??= await readModels.catalog(this.name));
    for (const discard of await catalog.discards()) this.#discards.add(discard);
    this.#rows ??= await readModels.open(this.#projection, FIRST_GENERATION);
    if (await catalog.paused()) await this.#rest();
  }

  /**
   * Opens the rows and starts to follow the log in the background, unless it is paused.
   *
   * @throws {UnusableReadModelError}
   */
  async start(readModels: ReadModels): Promise<void> {
    await this.open(readModels);
    this.#runner.start();
  }

  /** Settles at the first catch-up, or when it is paused; rejects if it stops before. */
  caughtUp(): Promise<void> {
    return Promise.race([this.#runner.caughtUp(), this.#whenPaused]);
  }

  pause(): Promise<void> {
    return this.#inOrder(async () => {
      await this.#openCatalog().setPaused(true);
      await this.#rest();
    });
  }

  resume(): Promise<void> {
    return this.#inOrder(async () => {
      await this.#openCatalog().setPaused(false);
      this.#runner.resume();
    });
  }

  async parkedKeys(limit: number, after?: string): Promise<readonly ParkedKey[]> {
    return this.#parking.list(this.#open(), limit, after);
  }

  async retry(key: string): Promise<UnparkedKey> {
    return this.#parking.retry(this.#place(), key);
  }

  async discard(key: string): Promise<UnparkedKey> {
    return this.#parking.discard(this.#place(), key);
  }

  /** See {@link Runner.stop}. Every wait ends, then the rows are closed. */
  async stop(deadlineMs: number): Promise<void> {
    await this.#runner.stop(deadlineMs);
    this.#waiters.close();
    await this.#rows?.close();
    await this.#catalog?.close();
    this.#rows = undefined;
    this.#catalog = undefined;
  }

  async get(key: string): Promise<RowEntry<Row> | undefined> {
    this.#refusal.assertNone();
    try {
      return await this.#open().get(key);
    } catch (error) {
      if (!(error instanceof UnusableReadModelError)) throw error;
      // The row next to it is no safer, and this one would be folded on from what is lost.
      this.#report?.(`${this.name}: stopped, until it is restored or rebuilt`, error);
      throw this.#refuse(error);
    }
  }

  async reached(position: Position, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    this.#refusal.assertNone();
    const waiting = this.#waiters.wait(position, timeoutMs, signal);
    if (this.#waiters.size > 0) this.#runner.hurry();
    const reached = await waiting;
    this.#refusal.assertNone();
    return reached;
  }

  subscribe(key: string, listener: ChangeListener<Row>, refused?: () => void): () => void {
    const leave = this.#feed.subscribe(key, listener);
    if (refused === undefined) return leave;
    const forget = this.#refusal.onSet(refused);
    return () => {
      leave();
      forget();
    };
  }

  /** Every key's changes, one for each commit that changes it, by rising change number. */
  subscribeAll(listener: ChangeListener<Row>): () => void {
    return this.#feed.subscribeAll(listener);
  }

  /** @param head where the log ends; undefined where that is not known */
  async status(head: Position | undefined): Promise<ProjectionStatus> {
    const { name, version } = this.#projection;
    const parked = await this.#countParked();
    const status = this.#runner.status(head);
    const { error } = this.#refusal;
    const refused = error && ({ state: 'stopped', problem: messageOf(error.cause) } as const);
    return { name, version, kind: 'projection', ...status, ...refused, parked };
  }

  async #countParked(): Promise<number> {
    if (this.#refusal.error !== undefined) return 0;
    try {
      return (await this.#rows?.countParked()) ?? 0;
    } catch (error) {
      if (!(error instanceof UnusableReadModelError)) throw error;
      this.#refuse(error);
      return 0;
    }
  }

  /** Nothing is served from here on, those who wait learn it, and the runner's next commit. */
  #refuse(reason: unknown): Error {
    const error = this.#refusal.set(reason);
    this.#waiters.close();
    return error;
  }

  async #commit(events: readonly StoredEvent[], checkpoint: Checkpoint): Promise<void> {
    // What was met while reading ends the folding, too.
    if (this.#refusal.error !== undefined) throw this.#refusal.error.cause;
    const rows = this.#open();
    const projection = this.#projection;
    const keys = events.map((event) =>
      this.#discards.has(event) ? undefined : projection.key(event),
    );
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

  async #rest(): Promise<void> {
    await this.#runner.pause();
    this.#paused();
  }

  #inOrder(run: () => Promise<void>): Promise<void> {
    const done = this.#lastOrder.then(run);
    this.#lastOrder = done.catch(() => undefined);
    return done;
  }

  #place(): ParkingPlace<Row> {
    return {
      rows: this.#open(),
      hold: () => this.#gate.hold(),
      repaired: (entries) => {
        for (const entry of entries) this.#publish(entry);
      },
    };
  }

  #open(): ReadModel<Row> {
    return this.#rows ?? this.#notRunning();
  }

  #openCatalog(): ProjectionCatalog {
    return this.#catalog ?? this.#notRunning();
  }

  #notRunning(): never {
    throw new ProjectionNotStartedError(`projection ${this.name} is not running: start its host`);
  }
}
