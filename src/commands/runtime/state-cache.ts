/**
 * Keeps the states of streams that were written lately, so that the next command needs no
 * load. It wraps the runtime from outside: a state from here may only carry a command to its
 * append, where the expected revision proves it right. Every other answer reads the log.
 */
import { LRUCache } from 'lru-cache';
import type { LoadedStream } from './loaded-stream.js';

export interface StateCacheOptions {
  /** The most states kept. */
  readonly maxStates: number;
  /** The most memory they may take, estimated, in bytes. */
  readonly maxBytes: number;
}

export class StateCache<State, Event> {
  readonly #states: LRUCache<string, LoadedStream<State, Event>>;

  constructor({ maxStates, maxBytes }: StateCacheOptions) {
    this.#states = new LRUCache({
      max: maxStates,
      maxSize: maxBytes,
      sizeCalculation: (loaded) => loaded.size,
    });
  }

  /** Hands the state over: it leaves the cache until it is put back. */
  take(stream: string): LoadedStream<State, Event> | undefined {
    const loaded = this.#states.get(stream);
    if (loaded !== undefined) this.#states.delete(stream);
    return loaded;
  }

  put(stream: string, loaded: LoadedStream<State, Event>): void {
    this.#states.set(stream, loaded);
  }
}
