/**
 * Those who wait for the checkpoint to reach a position. A heap by position: a commit costs
 * those it releases, not all who wait.
 */
import { comparePositions, type Position } from '../../events/log/position.js';
import type { Clock } from './clock.js';

interface Waiter {
  readonly position: Position;
  settled: boolean;
  readonly settle: (reached: boolean) => void;
}

/** Settled waiters stay in the heap until they are this many, and more than those waiting. */
const DEAD_KEPT = 256;

export class PositionWaiters {
  readonly #clock: Clock;
  #heap: Waiter[] = [];
  #waiting = 0;
  #reached: Position | undefined;
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many wait now. */
  get size(): number {
    return this.#waiting;
  }

  /** How many places they take up, with those that have given up. */
  get held(): number {
    return this.#heap.length;
  }

  /** See {@link ProjectionReader.reached}. */
  wait(position: Position, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    if (this.#reached && comparePositions(this.#reached, position) >= 0) {
      return Promise.resolve(true);
    }
    if (timeoutMs <= 0 || this.#closed || signal?.aborted === true) return Promise.resolve(false);
    return new Promise((resolve) => {
      const giveUp = (): void => {
        waiter.settle(false);
        this.#dropSettled();
      };
      const cancel = this.#clock.after(timeoutMs, giveUp);
      const waiter: Waiter = {
        position,
        settled: false,
        settle: (reached) => {
          if (waiter.settled) return;
          waiter.settled = true;
          this.#waiting -= 1;
          cancel();
          signal?.removeEventListener('abort', giveUp);
          resolve(reached);
        },
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#waiting += 1;
      this.#push(waiter);
    });
  }

  /** Everything up to `position` has been committed. */
  release(position: Position): void {
    this.#reached = position;
    for (let first = this.#heap[0]; first; first = this.#heap[0]) {
      if (!first.settled && comparePositions(first.position, position) > 0) return;
      this.#pop();
      first.settle(true);
    }
  }

  /** Ends every wait, and every later one, with false. */
  close(): void {
    this.#closed = true;
    this.giveUp();
  }

  /** Ends every wait with false. */
  giveUp(): void {
    const heap = this.#heap;
    this.#heap = [];
    for (const waiter of heap) waiter.settle(false);
  }

  /** Waits for a position that never comes must not pile up. */
  #dropSettled(): void {
    const dead = this.#heap.length - this.#waiting;
    if (dead <= DEAD_KEPT || dead <= this.#waiting) return;
    // In order, so it is a heap.
    this.#heap = this.#heap
      .filter((waiter) => !waiter.settled)
      .sort((a, b) => comparePositions(a.position, b.position));
  }

  #push(waiter: Waiter): void {
    const heap = this.#heap;
    let index = heap.length;
    while (index > 0) {
      const up = (index - 1) >> 1;
      const parent = heap[up];
      if (!parent || comparePositions(parent.position, waiter.position) <= 0) break;
      heap[index] = parent;
      index = up;
    }
    heap[index] = waiter;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const next = this.#earlier(left, left + 1);
      const child = heap[next];
      if (!child || comparePositions(child.position, last.position) >= 0) break;
      heap[index] = child;
      index = next;
    }
    heap[index] = last;
  }

  #earlier(left: number, right: number): number {
    const a = this.#heap[left];
    const b = this.#heap[right];
    return a && b && comparePositions(b.position, a.position) < 0 ? right : left;
  }
}
