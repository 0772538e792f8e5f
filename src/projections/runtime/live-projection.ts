/** A projection that runs: its generations, its changes and those who wait for it. */
import type { EventLog } from '../../events/log/event-log.js';
import type { Position } from '../../events/log/position.js';
import {
  UnusableReadModelError,
  type ReadModels,
  type RowEntry,
  type RowWrite,
} from '../read-model/read-model.js';
import type { RowGroup, RowQuery, TotalsQuery } from '../read-model/row-queries.js';
import { ChangeFeed, type ChangeListener } from './change-feed.js';
import { systemClock } from './clock.js';
import type { Projection } from './define-projection.js';
import { ProjectionNotReadyError } from './generations/generation-errors.js';
import { GenerationSet, type GenerationSetOptions } from './generations/generation-set.js';
import type { GenerationStatus } from './generations/generation-status.js';
import type { LiveGeneration } from './generations/live-generation.js';
import type { ManagedProjection } from './managed-projection.js';
import {
  NotParkedError,
  ParkedKeys,
  type ParkedKey,
  type ParkingPlace,
  type UnparkedKey,
} from './parking/parked-keys.js';
import { PositionWaiters } from './position-waiters.js';
import type { ProjectionReader, ProjectionTable } from './projection-reader.js';
import { ProjectionNotStartedError, type ProjectionStatus } from './projection-status.js';
import { messageOf, type RunnerStatus } from './runner-progress.js';

/** How many rows are read at once to tell their followers of a new generation. */
const TOLD_AT_ONCE = 200;

/** Nothing is served, and nothing is under way that will be. */
const NOTHING_RUNS: RunnerStatus = {
  state: 'stopped',
  secondsBehind: null,
  distance: null,
  lastProgress: null,
  resubscriptions: 0,
  watchdogResubscriptions: 0,
  problem: null,
};

export class LiveProjection<Row>
  implements ProjectionReader<Row>, ProjectionTable<Row>, ManagedProjection
{
  readonly #log: EventLog;
  readonly #projection: Projection<Row>;
  readonly #options: GenerationSetOptions;
  readonly #feed: ChangeFeed<Row>;
  readonly #waiters: PositionWaiters;
  readonly #caughtUp: Promise<void>;
  #resolveCaughtUp: () => void = () => undefined;
  #rejectCaughtUp: (error: unknown) => void = () => undefined;
  #generations: GenerationSet<Row> | undefined;
  #parking: ParkedKeys<Row> | undefined;
  /** Told once, when nothing may be served any more. */
  readonly #refused = new Set<() => void>();

  constructor(log: EventLog, projection: Projection<Row>, options: GenerationSetOptions = {}) {
    this.#log = log;
    this.#projection = projection;
    this.#options = options;
    this.#waiters = new PositionWaiters(options.clock ?? systemClock);
    this.#feed = new ChangeFeed((error) => {
      options.report?.(`${projection.name}: a listener failed`, error);
    });
    this.#caughtUp = new Promise((resolve, reject) => {
      this.#resolveCaughtUp = resolve;
      this.#rejectCaughtUp = reject;
    });
    // Nobody has to wait for it.
    this.#caughtUp.catch(() => undefined);
  }

  get name(): string {
    return this.#projection.name;
  }

  get position(): Position | undefined {
    return this.#generations?.serving?.runner.position;
  }

  /** Is this the running form of that very object? Then its rows are of that type. */
  folds(projection: object): boolean {
    return this.#projection === projection;
  }

  /**
   * Opens what is served, without following the log.
   *
   * @throws {UnusableReadModelError}
   * @throws {ReadModelLockedError} another process runs this version of the projection
   */
  async open(readModels: ReadModels): Promise<void> {
    await this.#openGenerations(readModels, false);
  }

  /**
   * Opens the generations and starts to follow the log in the background, unless it is paused.
   *
   * @throws {UnusableReadModelError}
   * @throws {ReadModelLockedError} another process runs this version of the projection
   */
  async start(readModels: ReadModels): Promise<void> {
    await this.#openGenerations(readModels, true);
    // What stops before anything was served is never going to be.
    this.#generations?.leading?.runner.caughtUp().catch(this.#rejectCaughtUp);
  }

  /**
   * Settles when a complete view is served that has caught up, or when it is paused; rejects if
   * it stops before.
   */
  caughtUp(): Promise<void> {
    return this.#caughtUp;
  }

  async pause(): Promise<void> {
    await this.generations.pause();
    this.#resolveCaughtUp();
  }

  async resume(): Promise<void> {
    await this.generations.resume();
  }

  async parkedKeys(limit: number, after?: string): Promise<readonly ParkedKey[]> {
    return this.#parked().list(this.#serving().rows, limit, after);
  }

  async retry(key: string): Promise<UnparkedKey> {
    const unparked = await this.#parked().retry(this.#placeOf(this.#serving()), key);
    await this.#retryElsewhere(key);
    return unparked;
  }

  async discard(key: string): Promise<UnparkedKey> {
    const unparked = await this.#parked().discard(this.#placeOf(this.#serving()), key);
    await this.#retryElsewhere(key);
    return unparked;
  }

  /** See {@link Runner.stop}. Every wait ends, then the rows are closed. */
  async stop(deadlineMs: number): Promise<void> {
    const generations = this.#generations;
    await generations?.stop(deadlineMs);
    this.#generations = undefined;
    this.#parking = undefined;
    this.#waiters.close();
    this.#rejectCaughtUp(new Error('stopped before it had caught up'));
  }

  async get(key: string): Promise<RowEntry<Row> | undefined> {
    return this.#read(async ({ rows, visible }) => {
      const entry = await rows.get(key);
      return entry && visible.of(entry);
    });
  }

  async lastChange(): Promise<number> {
    return this.#read(async ({ rows, visible }) => visible.change(await rows.lastChange()));
  }

  async select(query: RowQuery): Promise<readonly RowEntry<Row>[]> {
    return this.#read(async ({ rows, visible }) =>
      (await rows.select(query)).map((entry) => visible.of(entry)),
    );
  }

  async changesAfter(
    scope: string,
    change: number,
    limit: number,
  ): Promise<readonly RowEntry<Row>[]> {
    return this.#read(async ({ rows, visible }) => {
      const entries = await rows.changesAfter(scope, visible.ownChange(change), limit);
      return entries.map((entry) => visible.of(entry));
    });
  }

  async totals(query: TotalsQuery): Promise<readonly RowGroup[]> {
    return this.#read(({ rows }) => rows.totals(query));
  }

  async reached(position: Position, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    this.#generations?.serving?.refusal.assertNone();
    const waiting = this.#waiters.wait(position, timeoutMs, signal);
    if (this.#waiters.size > 0) this.#generations?.leading?.runner.hurry();
    const reached = await waiting;
    this.#generations?.serving?.refusal.assertNone();
    return reached;
  }

  subscribe(key: string, listener: ChangeListener<Row>, refused?: () => void): () => void {
    const leave = this.#feed.subscribe(key, listener);
    if (refused === undefined) return leave;
    const own = (): void => {
      refused();
    };
    this.#refused.add(own);
    return () => {
      leave();
      this.#refused.delete(own);
    };
  }

  /** Every key's changes, one for each commit that changes it, by rising change number. */
  subscribeAll(listener: ChangeListener<Row>): () => void {
    return this.#feed.subscribeAll(listener);
  }

  /**
   * Its generations, to be looked at and decided on.
   *
   * @throws {ProjectionNotStartedError}
   */
  get generations(): GenerationSet<Row> {
    if (this.#generations) return this.#generations;
    throw this.#notRunning();
  }

  /** All of them, in the order of their numbers. */
  listGenerations(head: Position | undefined): Promise<GenerationStatus[]> {
    return this.generations.statuses(head);
  }

  async rebuild(head: Position | undefined): Promise<GenerationStatus> {
    return this.generations.rebuild(head);
  }

  async promote(generation: number, head: Position | undefined): Promise<GenerationStatus> {
    return this.generations.promote(generation, head);
  }

  async drop(generation: number, head: Position | undefined): Promise<GenerationStatus> {
    return this.generations.drop(generation, head);
  }

  /** @param head where the log ends; undefined where that is not known */
  async status(head: Position | undefined): Promise<ProjectionStatus> {
    const { name, version } = this.#projection;
    const leading = this.#generations?.leading;
    const running = leading?.runner.status(head) ?? NOTHING_RUNS;
    const parked = leading ? await countParked(leading) : 0;
    const problem = this.#generations?.waitsFor ?? running.problem;
    const refusal = leading?.refusal.error;
    if (refusal) {
      const why = messageOf(refusal.cause);
      return {
        name,
        version,
        kind: 'projection',
        ...running,
        state: 'stopped',
        problem: why,
        parked,
        serving: null,
      };
    }
    // Caught up, but not served yet: that is a matter of moments.
    const state = running.state === 'live' && !leading?.serves ? 'catching-up' : running.state;
    const serving = this.#generations?.serving?.number ?? null;
    return { name, version, kind: 'projection', ...running, state, problem, parked, serving };
  }

  async #openGenerations(readModels: ReadModels, follow: boolean): Promise<void> {
    const generations = (this.#generations ??= await GenerationSet.open(
      this.#log,
      this.#projection,
      readModels,
      {
        follows: (generation, key) => generation.serves && this.#feed.follows(key),
        committed: (generation, entries, steps) => {
          if (!generation.serves) return;
          for (const entry of entries) this.#publish(generation, entry, steps.get(entry.key));
        },
        reached: (generation, position) => {
          if (generation.serves) this.#waiters.release(position);
        },
        isAwaited: (generation) => generation.serves && this.#waiters.size > 0,
        refused: (generation) => {
          if (generation.serves) this.#refuse();
        },
        switched: (generation, anew) => {
          this.#switched(generation);
          if (anew) void this.#tellAll(generation);
        },
      },
      { ...this.#options, follow },
    ));
    const { catalog, discards } = generations;
    this.#parking ??= new ParkedKeys(
      this.#log,
      this.#projection,
      { set: discards, keep: (discard) => catalog.discard(discard) },
      this.#options.clock ?? systemClock,
    );
    if (generations.paused) this.#resolveCaughtUp();
  }

  /** Nothing is served until another generation is; those who wait and follow learn it. */
  #refuse(): void {
    this.#waiters.giveUp();
    const listeners = [...this.#refused];
    this.#refused.clear();
    for (const listener of listeners) listener();
  }

  /** A generation that is kept must not show, once it is promoted, what was mended. */
  async #retryElsewhere(key: string): Promise<void> {
    for (const generation of this.generations.following) {
      if (generation.serves) continue;
      try {
        await this.#parked().retry(this.#placeOf(generation), key);
      } catch (error) {
        if (error instanceof NotParkedError) continue;
        const where = `generation ${generation.number}`;
        this.#options.report?.(`${this.name}: ${key} stays parked in ${where}`, error);
      }
    }
  }

  #placeOf(generation: LiveGeneration<Row>): ParkingPlace<Row> {
    return {
      rows: generation.rows,
      hold: () => generation.hold(),
      repaired: (entries) => {
        if (!generation.serves) return;
        for (const entry of entries) this.#publish(generation, entry);
      },
    };
  }

  #parked(): ParkedKeys<Row> {
    if (this.#parking) return this.#parking;
    throw this.#notRunning();
  }

  /** Readers are answered from this generation from now on. */
  #switched(generation: LiveGeneration<Row>): void {
    const { position } = generation.runner;
    if (position) this.#waiters.release(position);
    generation.runner.caughtUp().then(this.#resolveCaughtUp, this.#rejectCaughtUp);
  }

  /** A new epoch: what each follower sees may differ, so each is told what stands now. */
  async #tellAll(generation: LiveGeneration<Row>): Promise<void> {
    const keys = this.#feed.followedKeys;
    try {
      for (let from = 0; from < keys.length; from += TOLD_AT_ONCE) {
        await this.#tell(generation, keys.slice(from, from + TOLD_AT_ONCE));
        await new Promise(setImmediate);
      }
      const [first] = await generation.rows.scan(undefined, 1);
      if (first && generation.serves) this.#feed.publishToAll(generation.visible.of(first));
    } catch (error) {
      this.#options.report?.(`${this.name}: followers could not be told of a promotion`, error);
    }
  }

  /** Between two commits, so that nobody hears of an older state after a newer one. */
  async #tell(generation: LiveGeneration<Row>, keys: readonly string[]): Promise<void> {
    const release = await generation.hold();
    try {
      if (!generation.serves) return;
      const entries = await generation.rows.load(keys);
      for (const entry of entries.values()) this.#feed.publish(generation.visible.of(entry));
    } finally {
      release();
    }
  }

  #publish(
    generation: LiveGeneration<Row>,
    entry: RowEntry<Row>,
    steps: readonly RowWrite<Row>[] = [],
  ): void {
    const { visible } = generation;
    // The last step is the entry itself, shared with those who read it.
    for (const step of steps.slice(0, -1)) {
      this.#feed.publish(visible.of({ ...step, change: entry.change }));
    }
    this.#feed.publish(visible.of(entry));
    this.#feed.publishToAll(visible.of(entry));
  }

  /** Reads what is served. */
  async #read<T>(read: (serving: LiveGeneration<Row>) => Promise<T>): Promise<T> {
    const serving = this.#serving();
    serving.refusal.assertNone();
    try {
      return await read(serving);
    } catch (error) {
      if (!(error instanceof UnusableReadModelError)) throw error;
      // The row next to it is no safer, and this one would be folded on from what is lost.
      this.#options.report?.(`${this.name}: stopped, until it is restored or rebuilt`, error);
      throw serving.refuse(error);
    }
  }

  #serving(): LiveGeneration<Row> {
    const { serving, waitsFor } = this.generations;
    if (serving) return serving;
    throw new ProjectionNotReadyError(
      `${this.name} is being built and shows nothing yet: ${waitsFor ?? 'try again soon'}`,
    );
  }

  #notRunning(): ProjectionNotStartedError {
    return new ProjectionNotStartedError(`projection ${this.name} is not running: start its host`);
  }
}

async function countParked<Row>(generation: LiveGeneration<Row>): Promise<number> {
  if (generation.refusal.error !== undefined) return 0;
  try {
    return await generation.rows.countParked();
  } catch (error) {
    if (!(error instanceof UnusableReadModelError)) throw error;
    generation.refuse(error);
    return 0;
  }
}
