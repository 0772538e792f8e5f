/** A reaction that runs. Its checkpoint lies in a read model of its own that has no rows. */
import { z } from 'zod';
import type { EventLog, StoredEvent } from '../../events/log/event-log.js';
import type { Position } from '../../events/log/position.js';
import type { ReadModel, ReadModels } from '../read-model/read-model.js';
import { advance, startOf, type Checkpoint } from './checkpoint.js';
import { systemClock, type Clock } from './clock.js';
import type { Consumer, RunnerOptions } from './consumer.js';
import type { Reaction } from './define-reaction.js';
import { ProjectionNotStartedError, type ProjectionStatus } from './projection-status.js';
import { PositionWaiters } from './position-waiters.js';
import { Runner } from './runner.js';

/** A checkpoint is kept once, whatever is rebuilt: a side effect is not repeated by that. */
const ONLY_GENERATION = 1;
/** How often a checkpoint past events that are not wanted is made durable: losing one loses
 * nothing, as they are only passed over again. */
const PASSED_OVER_PERSIST_MS = 1_000;

export class LiveReaction {
  readonly #reaction: Reaction;
  readonly #waiters: PositionWaiters;
  readonly #runner: Runner;
  readonly #clock: Clock;
  readonly #report: RunnerOptions['report'];
  #rows: ReadModel<never> | undefined;
  #persistedAt = 0;
  /** Passed over since the last durable checkpoint. */
  #passedOver: Checkpoint | undefined;

  constructor(log: EventLog, reaction: Reaction, options: RunnerOptions = {}) {
    this.#reaction = reaction;
    this.#clock = options.clock ?? systemClock;
    this.#report = options.report;
    this.#waiters = new PositionWaiters(this.#clock);
    const consumer: Consumer = {
      name: reaction.name,
      prefix: reaction.prefix,
      checkpoint: () => this.#open().checkpoint(),
      commit: (events, checkpoint, signal) => this.#commit(events, checkpoint, signal),
      reached: (position) => {
        this.#waiters.release(position);
      },
      isAwaited: () => this.#waiters.size > 0,
    };
    this.#runner = new Runner(log, consumer, options);
  }

  /**
   * Opens the checkpoint, without following the log.
   *
   * @throws {UnusableReadModelError}
   */
  async open(readModels: ReadModels): Promise<void> {
    const { name, version } = this.#reaction;
    this.#rows ??= await readModels.open({ name, version, row: z.never() }, ONLY_GENERATION);
  }

  /**
   * Opens the checkpoint and starts to follow the log in the background.
   *
   * @throws {UnusableReadModelError}
   */
  async start(readModels: ReadModels): Promise<void> {
    await this.open(readModels);
    this.#runner.start();
  }

  /** Settles at the first catch-up; rejects if it stops before. */
  caughtUp(): Promise<void> {
    return this.#runner.caughtUp();
  }

  /** As {@link ProjectionReader.reached}: everything up to there has been handled. */
  reached(position: Position, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    const reached = this.#waiters.wait(position, timeoutMs, signal);
    if (this.#waiters.size > 0) this.#runner.hurry();
    return reached;
  }

  /** See {@link Runner.stop}. What was not handled comes again at the next start. */
  async stop(deadlineMs: number): Promise<void> {
    await this.#runner.stop(deadlineMs);
    this.#waiters.close();
    await this.#persistPassedOver();
    await this.#rows?.close();
    this.#rows = undefined;
  }

  /** @param head where the log ends; undefined where that is not known */
  status(head: Position | undefined): Promise<ProjectionStatus> {
    const { name, version } = this.#reaction;
    const status = this.#runner.status(head);
    return Promise.resolve({
      name,
      version,
      kind: 'reaction',
      ...status,
      parked: 0,
      serving: null,
    });
  }

  /** One after the other: the checkpoint waits for the slowest (faults.md C 27). */
  async #commit(
    events: readonly StoredEvent[],
    checkpoint: Checkpoint,
    signal: AbortSignal,
  ): Promise<void> {
    const rows = this.#open();
    let handled: StoredEvent | undefined;
    let wanted = false;
    try {
      for (const event of events) {
        if (this.#reaction.wants(event)) {
          wanted = true;
          signal.throwIfAborted();
          await this.#reaction.handle(event, signal);
        }
        handled = event;
      }
    } catch (error) {
      // What was done is not done again.
      if (handled) {
        await this.#persist(rows, advance(startOf(checkpoint.logId), handled.position, handled));
      }
      throw error;
    }
    const passedOver = !wanted && this.#clock.now() - this.#persistedAt < PASSED_OVER_PERSIST_MS;
    if (passedOver) this.#passedOver = checkpoint;
    else await this.#persist(rows, checkpoint);
  }

  async #persist(rows: ReadModel<never>, checkpoint: Checkpoint): Promise<void> {
    await rows.commit([], checkpoint);
    this.#persistedAt = this.#clock.now();
    this.#passedOver = undefined;
  }

  async #persistPassedOver(): Promise<void> {
    if (this.#rows === undefined || this.#passedOver === undefined) return;
    try {
      await this.#persist(this.#rows, this.#passedOver);
    } catch (error) {
      this.#report?.(
        `${this.#reaction.name}: could not keep its last checkpoint; nothing is lost`,
        error,
      );
    }
  }

  #open(): ReadModel<never> {
    if (this.#rows) return this.#rows;
    throw new ProjectionNotStartedError(
      `reaction ${this.#reaction.name} is not running: start its host`,
    );
  }
}
