/** Runs tasks of one key one after the other, and those of different keys side by side. */
import { CommandFailedError } from './command-failed.js';

export class KeyedQueue {
  readonly #tails = new Map<string, Promise<unknown>>();
  #pending = 0;

  /** @param maxPending tasks waiting or running, over all keys */
  constructor(private readonly maxPending: number) {}

  /** Tasks waiting or running. */
  get pending(): number {
    return this.#pending;
  }

  /**
   * Runs `task` when those before it under the same key have settled, whatever came of them.
   *
   * @throws {CommandFailedError} `overloaded`: the queue is full, the task was not taken
   */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    if (this.#pending >= this.maxPending) {
      throw new CommandFailedError('overloaded', 'too many commands are waiting; try again soon');
    }
    this.#pending += 1;
    const before = this.#tails.get(key);
    const mine = before === undefined ? task() : before.then(task, task);
    this.#tails.set(key, mine);
    try {
      return await mine;
    } finally {
      this.#pending -= 1;
      if (this.#tails.get(key) === mine) this.#tails.delete(key);
    }
  }

  /** Resolves when every task taken so far has settled. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#tails.values());
  }
}
