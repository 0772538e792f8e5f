/** Runs the projections and reactions of one process: what a module or a server drives. */
import type { EventLog } from '../../events/log/event-log.js';
import type { Position } from '../../events/log/position.js';
import type { ReadModels, RowSet } from '../read-model/read-model.js';
import type { Projection } from './define-projection.js';
import type { Reaction } from './define-reaction.js';
import type { GenerationSetOptions } from './generations/generation-set.js';
import { LiveProjection } from './live-projection.js';
import type { ProjectionStatus } from './projection-status.js';
import { LiveReaction } from './live-reaction.js';
import { ProjectionNotFoundError, type ManagedProjection } from './managed-projection.js';
import { ProjectionNotProvidedError } from './projection-not-provided.js';
import type { ProjectionReader, ProjectionTable } from './projection-reader.js';

/** What the host asks of each thing it runs. */
interface Running {
  open(readModels: ReadModels): Promise<void>;
  start(readModels: ReadModels): Promise<void>;
  caughtUp(): Promise<void>;
  stop(deadlineMs: number): Promise<void>;
  status(head: Position | undefined): Promise<ProjectionStatus>;
}

const DEFAULT_DEADLINE_MS = 10_000;
/** How long {@link ProjectionHost.statuses} waits for the log to say where it ends. */
const HEAD_MS = 1_000;

export class ProjectionHost {
  readonly #log: EventLog;
  readonly #readModels: ReadModels;
  readonly #options: GenerationSetOptions;
  readonly #running = new Map<string, Running>();
  readonly #projections = new Map<string, ManagedProjection>();
  /** What was added, as it was given. */
  readonly #added = new Set<object>();
  /** The running form of each projection that was added or is to be read. */
  readonly #live = new Map<RowSet, unknown>();
  #started: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;

  /**
   * @param log stays the caller's: close it after {@link stop}
   * @param readModels where rows and checkpoints are kept
   */
  constructor(log: EventLog, readModels: ReadModels, options: GenerationSetOptions = {}) {
    this.#log = log;
    this.#readModels = readModels;
    this.#options = options;
  }

  /**
   * Adds a projection, before the start.
   *
   * @throws {TypeError} the name is taken, or the host has started
   */
  project<Row>(projection: Projection<Row>): LiveProjection<Row> {
    const live = this.#liveOf(projection);
    this.#add(projection, live);
    this.#projections.set(projection.name, live);
    return live;
  }

  /**
   * Adds a reaction, before the start.
   *
   * @throws {TypeError} the name is taken, or the host has started
   */
  react(reaction: Reaction): LiveReaction {
    const live = new LiveReaction(this.#log, reaction, this.#options);
    this.#add(reaction, live);
    return live;
  }

  /** Was this very projection or reaction added? */
  has(definition: object): boolean {
    return this.#added.has(definition);
  }

  /**
   * What queries read a projection's rows with. It may be asked for before the projection is
   * added, such as in a constructor; the start fails where it never is.
   *
   * @param projection the very object that is added, not a copy
   * @throws {ProjectionNotProvidedError} the host has started without it
   */
  reader<Row>(projection: Projection<Row>): ProjectionReader<Row> {
    return this.#read(projection);
  }

  /**
   * As {@link reader}, for queries over many rows of a projection that has a scope.
   *
   * @param projection the very object that is added, not a copy
   * @throws {ProjectionNotProvidedError} the host has started without it
   */
  table<Row>(projection: Projection<Row>): ProjectionTable<Row> {
    return this.#read(projection);
  }

  /**
   * Opens all read models, then follows the log in the background: it does not wait for the
   * log. May be called again.
   *
   * @throws {UnusableReadModelError} nothing is left running
   * @throws {ProjectionNotProvidedError} a reader was asked for of one that was not added
   */
  start(): Promise<void> {
    return (this.#started ??= this.#beginAll((one) => one.start(this.#readModels)));
  }

  /**
   * Opens all read models and follows nothing: for a program that only looks at them, or repairs
   * something, while no server runs. In place of {@link start}.
   *
   * @throws {UnusableReadModelError} nothing is left open
   */
  open(): Promise<void> {
    return (this.#started ??= this.#beginAll((one) => one.open(this.#readModels)));
  }

  /** All projections, in the order in which they were added. */
  projections(): readonly ManagedProjection[] {
    return [...this.#projections.values()];
  }

  /** @throws {ProjectionNotFoundError} */
  projection(name: string): ManagedProjection {
    const found = this.#projections.get(name);
    if (found) return found;
    throw new ProjectionNotFoundError(name, [...this.#projections.keys()]);
  }

  /**
   * Settles when each has reached the log's head once, or is paused; rejects if something stops.
   */
  async caughtUp(): Promise<void> {
    await Promise.all(this.#all((one) => one.caughtUp()));
  }

  /**
   * Finishes what is in hand, goes on to the log's head if there is time, and closes the read
   * models. May be called again, also without a start.
   *
   * @param options.deadlineMs milliseconds; default 10,000
   */
  stop(options: { readonly deadlineMs?: number } = {}): Promise<void> {
    return (this.#stopped ??= this.#stopAll(options.deadlineMs ?? DEFAULT_DEADLINE_MS));
  }

  /** How each is doing, in the order they were added. */
  async statuses(): Promise<ProjectionStatus[]> {
    const head = await this.head();
    return Promise.all(this.#all((one) => one.status(head)));
  }

  #add(definition: RowSet, one: Running): void {
    const { name } = definition;
    if (this.#started) throw new TypeError(`${name} must be added before the host starts`);
    if (this.#running.has(name)) {
      throw new TypeError(
        `there is already a projection or reaction called ${name}: rename one of the two`,
      );
    }
    this.#running.set(name, one);
    this.#added.add(definition);
  }

  #read<Row>(projection: Projection<Row>): LiveProjection<Row> {
    if (this.#started) this.#assertAdded(projection);
    return this.#liveOf(projection);
  }

  #liveOf<Row>(projection: Projection<Row>): LiveProjection<Row> {
    const known = this.#live.get(projection);
    if (isLive(known, projection)) return known;
    const live = new LiveProjection(this.#log, projection, this.#options);
    this.#live.set(projection, live);
    return live;
  }

  #assertAdded(projection: RowSet): void {
    if (this.#added.has(projection)) return;
    const { name } = projection;
    throw new ProjectionNotProvidedError(name, this.#running.has(name));
  }

  async #beginAll(begin: (one: Running) => Promise<void>): Promise<void> {
    if (this.#stopped) throw new TypeError('a stopped host does not start again: make a new one');
    for (const projection of this.#live.keys()) this.#assertAdded(projection);
    try {
      for (const one of this.#running.values()) await begin(one);
    } catch (error) {
      await Promise.all(this.#all((one) => one.stop(0)));
      throw error;
    }
  }

  async #stopAll(deadlineMs: number): Promise<void> {
    await this.#started?.catch(() => undefined);
    await Promise.all(this.#all((one) => one.stop(deadlineMs)));
  }

  #all<T>(call: (one: Running) => Promise<T>): Promise<T>[] {
    return [...this.#running.values()].map(call);
  }

  /** Where the log ends; undefined where it does not say in time: health must answer all the same. */
  head(): Promise<Position | undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, HEAD_MS, undefined);
      timer.unref();
      this.#log
        .head()
        .then(resolve, () => {
          resolve(undefined);
        })
        .finally(() => {
          clearTimeout(timer);
        });
    });
  }
}

function isLive<Row>(live: unknown, projection: Projection<Row>): live is LiveProjection<Row> {
  return live instanceof LiveProjection && live.folds(projection);
}
