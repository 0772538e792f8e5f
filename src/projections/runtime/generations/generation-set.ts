/**
 * The generations of one projection in this process: the one that is served, and those that
 * follow the log beside it. What it decides is in the catalogue before anyone sees it.
 */
import { firstValueFrom } from 'rxjs';
import type { EventLog } from '../../../events/log/event-log.js';
import { comparePositions, LOG_START, type Position } from '../../../events/log/position.js';
import type {
  GenerationRecord,
  ProjectionCatalog,
  ServingBases,
} from '../../read-model/projection-catalog.js';
import {
  ReadModelLockedError,
  UnusableReadModelError,
  type ReadModels,
  type RowsProgress,
} from '../../read-model/read-model.js';
import { systemClock, wait, type Clock } from '../clock.js';
import type { RunnerOptions } from '../consumer.js';
import type { Projection } from '../define-projection.js';
import { DiscardSet } from '../discard-set.js';
import { messageOf } from '../runner-progress.js';
import { generationLock, rebuildGeneration } from '../rebuild/rebuild-generation.js';
import { GenerationError, generationNotReady } from './generation-errors.js';
import { generationStatus, type GenerationStatus } from './generation-status.js';
import { LiveGeneration, type GenerationEvents } from './live-generation.js';
import { RebuildSupervisor, type RebuildJobs } from './rebuild-jobs.js';
import { removeRows } from './remove-rows.js';
import { basesAfter, basesAfterOthers } from './serving-bases.js';

/** How long a promotion waits for the generation to come as far as the one it takes over from. */
const CATCH_UP_MS = 60_000;
/** How long readers may wait for changes while the two are brought to one place, milliseconds. */
const HOLD_MS = 5_000;
/** A distance of positions that this process folds itself, between requests. */
const FOLD_HERE = 10_000n;
/** How often a start without a generation looks whether there is one now, milliseconds. */
const LOOK_EVERY_MS = 1_000;

export interface GenerationSetOptions extends RunnerOptions {
  /** Who builds generations; by default this process, on its event loop. */
  readonly jobs?: RebuildJobs;
}

export interface GenerationSetEvents<Row> extends GenerationEvents<Row> {
  /**
   * Readers are answered from this generation from now on.
   *
   * @param anew what they see of a key may differ from what they saw last
   */
  switched(generation: LiveGeneration<Row>, anew: boolean): void;
}

export class GenerationSet<Row> {
  readonly #log: EventLog;
  readonly #projection: Projection<Row>;
  readonly #readModels: ReadModels;
  readonly #catalog: ProjectionCatalog;
  readonly #discards: DiscardSet;
  readonly #events: GenerationSetEvents<Row>;
  readonly #options: GenerationSetOptions;
  readonly #clock: Clock;
  readonly #jobs: RebuildJobs;
  readonly #supervisor: RebuildSupervisor;
  readonly #release: () => void;
  /** Open, and following the log. */
  readonly #open = new Map<number, LiveGeneration<Row>>();
  readonly #stopping = new AbortController();
  #serving: LiveGeneration<Row> | undefined;
  /** The one that will be served when it has caught up for the first time. */
  #first: LiveGeneration<Row> | undefined;
  #waitsFor: string | null = null;
  #paused = false;
  /** False where it is only looked at. */
  #follows = true;
  /** One decision at a time. */
  #decision: Promise<unknown> = Promise.resolve();

  private constructor(
    log: EventLog,
    projection: Projection<Row>,
    readModels: ReadModels,
    own: { catalog: ProjectionCatalog; discards: DiscardSet; release: () => void },
    events: GenerationSetEvents<Row>,
    options: GenerationSetOptions,
  ) {
    this.#log = log;
    this.#projection = projection;
    this.#readModels = readModels;
    this.#catalog = own.catalog;
    this.#discards = own.discards;
    this.#release = own.release;
    this.#events = events;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#jobs = options.jobs ?? {
      run: (task, signal) => this.#runHere(task.generation, signal),
    };
    this.#supervisor = new RebuildSupervisor({
      jobs: this.#jobs,
      catalog: own.catalog,
      clock: this.#clock,
      events: async (record) => (await this.#progress(record))?.events ?? 0,
      report: (message, error) => {
        this.#report(message, error);
      },
    });
  }

  /**
   * Opens the catalogue and what it says is to be followed.
   *
   * @param options.follow false: nothing follows the log, and nothing is built
   * @throws {UnusableReadModelError}
   * @throws {ReadModelLockedError} another process runs this version of the projection
   */
  static async open<Row>(
    log: EventLog,
    projection: Projection<Row>,
    readModels: ReadModels,
    events: GenerationSetEvents<Row>,
    options: GenerationSetOptions & { readonly follow: boolean },
  ): Promise<GenerationSet<Row>> {
    const { name, version } = projection;
    const release = await readModels.lock(projectionLock(name, version));
    let catalog: ProjectionCatalog | undefined;
    try {
      catalog = await readModels.catalog(name);
      const discards = new DiscardSet(await catalog.discards());
      const own = { catalog, discards, release };
      const set = new GenerationSet(log, projection, readModels, own, events, options);
      set.#paused = await catalog.paused();
      set.#follows = options.follow;
      await (options.follow ? set.#start() : set.#look());
      return set;
    } catch (error) {
      await catalog?.close();
      release();
      throw error;
    }
  }

  /** The one that readers are answered from; undefined while there is none. */
  get serving(): LiveGeneration<Row> | undefined {
    return this.#serving;
  }

  /** The one that readers are, or will be, answered from. */
  get leading(): LiveGeneration<Row> | undefined {
    return this.#serving ?? this.#first;
  }

  /** All that follow the log here. */
  get following(): Iterable<LiveGeneration<Row>> {
    return this.#open.values();
  }

  /** What is not derived from the log. */
  get catalog(): ProjectionCatalog {
    return this.#catalog;
  }

  /** What every fold of this projection passes over: add to it what the catalogue gets. */
  get discards(): DiscardSet {
    return this.#discards;
  }

  /** Why nothing is served, where a person has to do something; else null. */
  get waitsFor(): string | null {
    return this.#waitsFor;
  }

  /** @param head where the log ends; undefined where that is not known */
  async statuses(head: Position | undefined): Promise<GenerationStatus[]> {
    const records = await this.#catalog.generations();
    return Promise.all(records.map((record) => this.#status(record, head)));
  }

  /**
   * Has a new generation built. One that is being built already is gone on with.
   *
   * @returns it
   */
  rebuild(head: Position | undefined): Promise<GenerationStatus> {
    return this.#decide(async () => {
      const { name, version } = this.#projection;
      const records = await this.#catalog.generations();
      const begun = records.find(
        (record) => record.version === version && record.state === 'building',
      );
      const record = begun ?? (await this.#catalog.begin(version, new Date(this.#clock.now())));
      // A first generation is built by the start itself.
      if (record.generation !== this.#first?.number) this.#supervisor.ensure(name, record);
      return this.#status(record, head);
    });
  }

  /**
   * Serves a generation in place of the one that is served: that one is kept, and follows the
   * log, so that it can be promoted again. Readers see neither less nor an older state.
   *
   * @returns it
   * @throws {GenerationError} `generation_not_found`, `generation_not_ready`
   */
  promote(generation: number, head: Position | undefined): Promise<GenerationStatus> {
    return this.#decide(async () => {
      const record = await this.#find(generation);
      if (record.state !== 'serving') await this.#promote(record);
      else if (record.version !== this.#projection.version) throw this.#notReady(record);
      return this.#status(await this.#find(generation), head);
    });
  }

  /**
   * Removes a generation and its rows. One that is being built is cancelled, and stays on the
   * record as such until it is removed again.
   *
   * @returns it, as it was or became
   * @throws {GenerationError} `generation_not_found`, `generation_serving`
   */
  drop(generation: number, head: Position | undefined): Promise<GenerationStatus> {
    return this.#decide(async () => {
      const record = await this.#find(generation);
      const building = record.state === 'building';
      if (record.state === 'serving' || generation === this.#first?.number) {
        throw new GenerationError(
          'generation_serving',
          generation,
          `generation ${generation} is the one that is served; promote another one first`,
        );
      }
      // On the record first: were we killed in between, the next start removes the rows.
      const gone =
        (await this.#catalog.move(generation, ['building', 'ready', 'kept'], 'cancelled')) ??
        record;
      const status = await this.#status(building ? gone : record, head);
      await this.#supervisor.end(generation);
      await this.#open.get(generation)?.stop(0);
      this.#open.delete(generation);
      if ((await this.#removeRows(record)) && !building) await this.#catalog.forget(generation);
      return status;
    });
  }

  /** Has it stand still, also over restarts, all generations of it. */
  pause(): Promise<void> {
    return this.#decide(async () => {
      await this.#catalog.setPaused(true);
      this.#paused = true;
      await Promise.all([...this.#open.values()].map(({ runner }) => runner.pause()));
    });
  }

  /** Has it go on from where it stands. */
  resume(): Promise<void> {
    return this.#decide(async () => {
      await this.#catalog.setPaused(false);
      this.#paused = false;
      for (const { runner } of this.#open.values()) runner.resume();
    });
  }

  /** Does it stand still because a person wants it to? */
  get paused(): boolean {
    return this.#paused;
  }

  /** Stops all, in order. What was not folded is folded at the next start. */
  async stop(deadlineMs: number): Promise<void> {
    this.#stopping.abort();
    await this.#supervisor.stop();
    await Promise.race([this.#decision, firstValueFrom(wait(this.#clock, deadlineMs))]);
    await Promise.all([...this.#open.values()].map((one) => one.stop(deadlineMs)));
    await this.#catalog.close();
    this.#release();
  }

  /** Opens what is served, without following the log. */
  async #look(): Promise<void> {
    const served = (await this.#catalog.generations()).find(
      ({ version, state }) => version === this.#projection.version && state === 'serving',
    );
    if (served) this.#serve(await this.#follow(served), false);
  }

  async #start(): Promise<void> {
    const records = await this.#catalog.generations();
    const own = records.filter(({ version }) => version === this.#projection.version);
    try {
      await this.#startServing(records, own);
      for (const record of own) {
        if (record.state === 'kept') await this.#follow(record);
        if (record.state === 'failed' || record.state === 'cancelled') {
          await this.#removeRows(record, 0);
        }
        if (record.state === 'building' && record.generation !== this.#first?.number) {
          this.#supervisor.ensure(this.#projection.name, record);
        }
      }
    } catch (error) {
      this.#stopping.abort();
      await this.#supervisor.stop();
      await Promise.all([...this.#open.values()].map((one) => one.stop(0)));
      throw error;
    }
  }

  async #startServing(
    records: readonly GenerationRecord[],
    own: readonly GenerationRecord[],
  ): Promise<void> {
    const served = own.find(({ state }) => state === 'serving');
    if (served) {
      const generation = await this.#follow(served);
      // Rows that are gone, deleted by hand perhaps, are no view: they are folded anew first.
      // An empty log leaves no checkpoint either: then that takes no time.
      if ((await generation.rows.checkpoint()) === undefined) this.#serveWhenComplete(generation);
      else this.#serve(generation, false);
      return;
    }
    const { name, version } = this.#projection;
    if (this.#mayBuild(records)) {
      const built = own.findLast(({ state }) => state === 'ready' || state === 'kept');
      if (built) {
        await this.#promote(built);
        return;
      }
      const begun = own.findLast(({ state }) => state === 'building');
      if (await this.#buildHere(begun)) return;
    } else {
      this.#waitsFor =
        `no generation of version ${version} was built; ` +
        `run "planlog rebuild ${name} --promote" with this release`;
    }
    void this.#serveWhenThereIsOne();
  }

  /** Without a job: none of any version was ever served, or nobody else could have built it. */
  #mayBuild(records: readonly GenerationRecord[]): boolean {
    const served = records.some(({ state }) => state === 'serving' || state === 'kept');
    return !served || this.#log.embedded === true;
  }

  /** @returns false where a job is at it already */
  async #buildHere(begun: GenerationRecord | undefined): Promise<boolean> {
    const { version } = this.#projection;
    const record = begun ?? (await this.#catalog.begin(version, new Date(this.#clock.now())));
    try {
      const release = await this.#readModels.lock(
        generationLock(this.#projection, record.generation),
      );
      // Nobody begins a job for it while this process runs: see rebuild().
      release();
    } catch (error) {
      if (error instanceof ReadModelLockedError) return false;
      throw error;
    }
    this.#serveWhenComplete(await this.#follow(record));
    return true;
  }

  #serveWhenComplete(generation: LiveGeneration<Row>): void {
    this.#first = generation;
    generation.runner.caughtUp().then(
      () =>
        this.#decide(() => this.#completed(generation)).catch((error: unknown) => {
          this.#waitsFor = `generation ${generation.number} could not be served`;
          this.#report(this.#waitsFor, error);
        }),
      // Its status says why.
      () => undefined,
    );
  }

  /** Caught up for the first time: from now on it is served. */
  async #completed(generation: LiveGeneration<Row>): Promise<void> {
    const release = await generation.hold();
    try {
      const { state, epochBase, changeBase } = generation.record;
      const bases =
        state === 'serving' ? { epochBase, changeBase } : await this.#basesAfterOthers();
      generation.record = await this.#catalog.promote(generation.number, bases);
      this.#first = undefined;
      this.#serve(generation);
    } finally {
      release();
    }
  }

  async #serveWhenThereIsOne(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted && !this.#serving) {
      await firstValueFrom(wait(this.#clock, LOOK_EVERY_MS));
      try {
        await this.#decide(async () => {
          if (this.#serving || signal.aborted) return;
          const own = (await this.#catalog.generations()).filter(
            ({ version }) => version === this.#projection.version,
          );
          const found =
            own.find(({ state }) => state === 'serving') ??
            own.findLast(({ state }) => state === 'ready' && this.#waitsFor === null);
          if (found?.state === 'serving') this.#serve(await this.#follow(found));
          else if (found) await this.#promote(found);
        });
      } catch (error) {
        this.#report('the catalogue cannot be read', error);
      }
    }
  }

  async #promote(record: GenerationRecord): Promise<void> {
    if (
      record.version !== this.#projection.version ||
      (record.state !== 'ready' && record.state !== 'kept')
    ) {
      throw this.#notReady(record);
    }
    const served = this.#serving;
    const next = this.#open.get(record.generation) ?? (await this.#bringUp(record, served));
    if (next.refusal.error) throw this.#notReady(record, messageOf(next.refusal.error.cause));
    if (served === undefined) {
      next.record = await this.#catalog.promote(next.number, await this.#basesAfterOthers());
      this.#serve(next);
      return;
    }
    // Nearly all of the way while the other one goes on.
    const refused = served.refusal.error !== undefined;
    // The place of one that is refused may be one of another log.
    const target = async (): Promise<Position> =>
      refused ? await this.#log.head() : await served.position();
    await this.#bringTo(next, await target(), CATCH_UP_MS);
    const release = await served.hold();
    try {
      await this.#bringTo(next, await target(), HOLD_MS);
      const bases = await basesAfter(served, next.record);
      next.record = await this.#catalog.promote(next.number, bases);
      served.record = { ...served.record, state: 'kept' };
      this.#serve(next);
    } finally {
      release();
    }
  }

  /** Opens a generation that was built a while ago; the job goes most of the way. */
  async #bringUp(
    record: GenerationRecord,
    served: LiveGeneration<Row> | undefined,
  ): Promise<LiveGeneration<Row>> {
    const { name, version } = this.#projection;
    const { generation } = record;
    const built = (await this.#progress(record))?.checkpoint?.position ?? LOG_START;
    const ahead = (await served?.position()) ?? LOG_START;
    if (ahead.commit - built.commit > FOLD_HERE) {
      // The job that has built it may not have ended yet.
      await this.#supervisor.over(generation);
      try {
        await this.#jobs.run({ projection: name, version, generation }, this.#stopping.signal);
      } catch (error) {
        this.#report(`generation ${generation} could not be brought up to the log's head`, error);
        throw this.#notReady(await this.#find(generation), messageOf(error));
      }
    }
    const now = await this.#find(generation);
    // What the job has met since it was ready, such as an event that cannot be folded.
    if (now.state !== record.state) throw this.#notReady(now);
    return this.#follow(now);
  }

  async #basesAfterOthers(): Promise<ServingBases> {
    const records = await this.#catalog.generations();
    return basesAfterOthers(records, (record) => this.#progress(record));
  }

  /** Also where the projection is paused: then it stands still again afterwards. */
  async #bringTo(
    generation: LiveGeneration<Row>,
    position: Position,
    timeoutMs: number,
  ): Promise<void> {
    if (comparePositions(await generation.position(), position) >= 0) return;
    generation.runner.resume();
    // Where nothing follows the log, this one does from here on, until it is closed.
    if (!this.#follows) generation.runner.start();
    try {
      await this.#reach(generation, position, timeoutMs);
    } finally {
      if (this.#paused) await generation.runner.pause();
    }
  }

  async #reach(
    generation: LiveGeneration<Row>,
    position: Position,
    timeoutMs: number,
  ): Promise<void> {
    const reached = generation.reached(position, timeoutMs, this.#stopping.signal);
    // Whoever cannot follow the log any more will not get there.
    const lost = generation.runner.caughtUp().then(
      () => reached,
      () => false,
    );
    if (await Promise.race([reached, lost])) return;
    throw new GenerationError(
      'generation_not_ready',
      generation.number,
      `generation ${generation.number} has not come as far as the one that is served; ` +
        'try again when it has',
    );
  }

  /** Readers are answered from it: the one moment at which that changes. */
  #serve(generation: LiveGeneration<Row>, anew = true): void {
    if (this.#serving) this.#serving.serves = false;
    generation.serves = true;
    this.#serving = generation;
    this.#waitsFor = null;
    this.#events.switched(generation, anew);
  }

  /** Opens a generation and has it follow the log. */
  async #follow(record: GenerationRecord): Promise<LiveGeneration<Row>> {
    const rows = await this.#readModels.open(this.#projection, record.generation);
    const generation = new LiveGeneration(
      this.#log,
      this.#projection,
      record,
      rows,
      this.#discards,
      this.#events,
      this.#options,
    );
    this.#open.set(record.generation, generation);
    if (this.#paused) await generation.runner.pause();
    if (this.#follows) generation.runner.start();
    return generation;
  }

  async #removeRows(
    { version, generation }: GenerationRecord,
    timeoutMs?: number,
  ): Promise<boolean> {
    try {
      const shape = { name: this.#projection.name, version };
      await removeRows(this.#readModels, shape, generation, this.#clock, timeoutMs);
      return true;
    } catch (error) {
      this.#report('rows could not be removed; the next start tries again', error);
      return false;
    }
  }

  async #runHere(generation: number, signal: AbortSignal): Promise<void> {
    await rebuildGeneration({
      log: this.#log,
      readModels: this.#readModels,
      projection: this.#projection,
      generation,
      signal,
      runner: this.#options,
    });
  }

  async #find(generation: number): Promise<GenerationRecord> {
    const record = await this.#catalog.generation(generation);
    if (record) return record;
    throw new GenerationError(
      'generation_not_found',
      generation,
      `${this.#projection.name} has no generation ${generation}`,
    );
  }

  /** @param hindered why one that is ready cannot be served all the same */
  #notReady(record: GenerationRecord, hindered?: string): GenerationError {
    return generationNotReady(record, this.#projection.version, hindered);
  }

  async #status(record: GenerationRecord, head: Position | undefined): Promise<GenerationStatus> {
    const gone = record.state === 'cancelled' || record.state === 'failed';
    try {
      return generationStatus(record, gone ? undefined : await this.#progress(record), head);
    } catch (error) {
      // One that is damaged must not hide the others, one of which is the way out perhaps.
      if (!(error instanceof UnusableReadModelError)) throw error;
      return generationStatus({ ...record, problem: messageOf(error) }, undefined, head);
    }
  }

  #progress({ version, generation }: GenerationRecord): Promise<RowsProgress | undefined> {
    const open = this.#open.get(generation);
    if (open) return open.rows.progress();
    return this.#readModels.progress({ name: this.#projection.name, version }, generation);
  }

  #decide<T>(decision: () => Promise<T>): Promise<T> {
    const decided = this.#decision.then(decision, decision);
    this.#decision = decided.catch(() => undefined);
    return decided;
  }

  #report(message: string, error: unknown): void {
    this.#options.report?.(`${this.#projection.name}: ${message}`, error);
  }
}

/** The lock of whoever answers from a version of a projection, and decides on its generations. */
export function projectionLock(name: string, version: number): string {
  return `${name}.v${version}`;
}
