/** Who builds a generation: a process of its own, or this one. And who sees to it that it ends. */
import { firstValueFrom } from 'rxjs';
import type { GenerationRecord, ProjectionCatalog } from '../../read-model/projection-catalog.js';
import { ReadModelLockedError } from '../../read-model/read-model.js';
import { backoffDelay, type Backoff } from '../backoff.js';
import { wait, type Clock } from '../clock.js';
import { messageOf } from '../runner-progress.js';

/** What is to be built. */
export interface RebuildTask {
  /** The projection's name. */
  readonly projection: string;
  readonly version: number;
  readonly generation: number;
}

export interface RebuildJobs {
  /**
   * Builds a generation until it is ready, fails or is cancelled: the catalogue says which. A
   * generation that was begun before is gone on with. Resolves or rejects when the job is over,
   * also where it was killed before it came to an end.
   *
   * @param signal ends the job early
   * @throws {ReadModelLockedError} another job is at it
   */
  run(task: RebuildTask, signal: AbortSignal): Promise<void>;
}

/** A job that comes to no end this often without progress is given up. */
const MAX_FAILURES = 5;
const BACKOFF: Backoff = { baseMs: 500, maxMs: 30_000, random: Math.random };

export interface SupervisorOptions {
  readonly jobs: RebuildJobs;
  readonly catalog: Pick<ProjectionCatalog, 'generation' | 'move'>;
  readonly clock: Clock;
  /** How many events a generation holds: whether a job got anywhere before it died. */
  readonly events: (record: GenerationRecord) => Promise<number>;
  readonly report: (message: string, error: unknown) => void;
}

/** Starts a job for a generation, and again where it was killed. */
export class RebuildSupervisor {
  readonly #options: SupervisorOptions;
  readonly #running = new Map<number, { readonly abort: AbortController; done: Promise<void> }>();

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Sees to it that a generation gets built. One job for each, however often it is called. */
  ensure(projection: string, record: GenerationRecord): void {
    if (this.#running.has(record.generation)) return;
    const abort = new AbortController();
    const done = this.#supervise(projection, record, abort.signal).finally(() => {
      this.#running.delete(record.generation);
    });
    this.#running.set(record.generation, { abort, done });
  }

  /** Ends a generation's job, and waits until it is over. */
  async end(generation: number): Promise<void> {
    const running = this.#running.get(generation);
    running?.abort.abort();
    await running?.done;
  }

  /** Waits until a generation's job, if there is one, has let go of it. */
  async over(generation: number): Promise<void> {
    await this.#running.get(generation)?.done;
  }

  /** Ends all jobs. What they have built is gone on with at the next start. */
  async stop(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((generation) => this.end(generation)));
  }

  async #supervise(
    projection: string,
    record: GenerationRecord,
    signal: AbortSignal,
  ): Promise<void> {
    const { jobs, clock, events, report } = this.#options;
    const { generation, version } = record;
    const what = `${projection}: the job that builds generation ${generation}`;
    let failures = 0;
    let reached = -1;
    const isEnded = (): boolean => signal.aborted;
    while (!isEnded()) {
      let problem = 'it ended before it was ready';
      let elsewhere = false;
      try {
        await jobs.run({ projection, version, generation }, signal);
      } catch (error) {
        problem = messageOf(error);
        elsewhere = error instanceof ReadModelLockedError;
      }
      if (await this.#isOver(generation)) return;
      // To be ended is no failure.
      if (isEnded()) return;
      const now = await events(record).catch(() => reached);
      failures = now > reached ? 1 : failures + 1;
      // Nor is that another job builds it, one of a server that was killed perhaps: it may be
      // well on its way, or wait for the log.
      if (elsewhere) failures = 1;
      reached = now;
      if (failures >= MAX_FAILURES) {
        await this.#giveUp(generation, problem);
        return;
      }
      const delay = backoffDelay(BACKOFF, failures);
      report(`${what} is started again in ${Math.round(delay)} ms`, problem);
      await Promise.race([firstValueFrom(wait(clock, delay)), aborted(signal)]);
    }
  }

  async #isOver(generation: number): Promise<boolean> {
    try {
      return (await this.#options.catalog.generation(generation))?.state !== 'building';
    } catch (error) {
      this.#options.report('the catalogue cannot be read', error);
      return false;
    }
  }

  async #giveUp(generation: number, problem: string): Promise<void> {
    const why = `its job failed ${MAX_FAILURES} times without progress: ${problem}`;
    this.#options.report(`generation ${generation} is given up`, why);
    await this.#options.catalog
      .move(generation, ['building'], 'failed', why)
      .catch((error: unknown) => {
        this.#options.report('the catalogue cannot be written', error);
      });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve();
    });
    if (signal.aborted) resolve();
  });
}
