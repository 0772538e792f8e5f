/** A reaction that runs. Its checkpoint lies in a read model of its own that has no rows. */
import { z } from 'zod';
import type { EventLog, StoredEvent } from '../../events/log/event-log.js';
import type { Position } from '../../events/log/position.js';
import type { ReadModel, ReadModels } from '../read-model/read-model.js';
import { advance, startOf, type Checkpoint } from './checkpoint.js';
import { systemClock } from './clock.js';
import type { Consumer, RunnerOptions } from './consumer.js';
import type { Reaction } from './define-reaction.js';
import { ProjectionNotStartedError, type ProjectionStatus } from './live-projection.js';
import { PositionWaiters } from './position-waiters.js';
import { Runner } from './runner.js';

/** A checkpoint is kept once, whatever is rebuilt: a side effect is not repeated by that. */
const ONLY_GENERATION = 1;

export class LiveReaction {
  readonly #reaction: Reaction;
  readonly #waiters: PositionWaiters;
  readonly #runner: Runner;
  #rows: ReadModel<never> | undefined;

  constructor(log: EventLog, reaction: Reaction, options: RunnerOptions = {}) {
    this.#reaction = reaction;
    this.#waiters = new PositionWaiters(options.clock ?? systemClock);
    const consumer: Consumer = {
      name: reaction.name,
      prefix: reaction.prefix,
      checkpoint: () => this.#open().checkpoint(),
      commit: (events, checkpoint, signal) => this.#commit(events, checkpoint, signal),
      reached: (position) => {
        this.#waiters.release(position);
      },
    };
    this.#runner = new Runner(log, consumer, options);
  }

  /**
   * Opens the checkpoint and starts to follow the log in the background.
   *
   * @throws {UnusableReadModelError}
   */
  async start(readModels: ReadModels): Promise<void> {
    const { name, version } = this.#reaction;
    this.#rows ??= await readModels.open({ name, version, row: z.never() }, ONLY_GENERATION);
    this.#runner.start();
  }

  /** Settles at the first catch-up; rejects if it stops before. */
  caughtUp(): Promise<void> {
    return this.#runner.caughtUp();
  }

  /** As {@link ProjectionReader.reached}: everything up to there has been handled. */
  reached(position: Position, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    return this.#waiters.wait(position, timeoutMs, signal);
  }

  /** See {@link Runner.stop}. What was not handled comes again at the next start. */
  async stop(deadlineMs: number): Promise<void> {
    await this.#runner.stop(deadlineMs);
    this.#waiters.close();
    await this.#rows?.close();
    this.#rows = undefined;
  }

  /** @param head where the log ends; undefined where that is not known */
  status(head: Position | undefined): Promise<ProjectionStatus> {
    const { name, version } = this.#reaction;
    const status = this.#runner.status(head);
    return Promise.resolve({ name, version, kind: 'reaction', ...status, parked: 0 });
  }

  /** One after the other: the checkpoint waits for the slowest (faults.md C 27). */
  async #commit(
    events: readonly StoredEvent[],
    checkpoint: Checkpoint,
    signal: AbortSignal,
  ): Promise<void> {
    const rows = this.#open();
    let handled: StoredEvent | undefined;
    try {
      for (const event of events) {
        if (this.#reaction.wants(event)) {
          signal.throwIfAborted();
          await this.#reaction.handle(event, signal);
        }
        handled = event;
      }
    } catch (error) {
      // What was done is not done again.
      if (handled) {
        await rows.commit([], advance(startOf(checkpoint.logId), handled.position, handled));
      }
      throw error;
    }
    await rows.commit([], checkpoint);
  }

  #open(): ReadModel<never> {
    if (this.#rows) return this.#rows;
    throw new ProjectionNotStartedError(
      `reaction ${this.#reaction.name} is not running: start its host`,
    );
  }
}
