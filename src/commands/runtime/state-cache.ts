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

  /** The state, for the one command of this stream that runs. */
  get(stream: string): LoadedStream<State, Event> | undefined {
    return this.#states.get(stream);
  }

  put(stream: string, loaded: LoadedStream<State, Event>): void {
    // A state that was here has grown since, and is measured anew only where it is new.
    this.#states.delete(stream);
    this.#states.set(stream, loaded);
  }

  /** Forgets a state that may be behind its stream. */
  drop(stream: string): void {
    this.#states.delete(stream);
  }
}
