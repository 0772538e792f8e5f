/**
 * The end of a projection that may not be served: its rows are damaged, or belong to another log
 * than this one. What it showed last would be wrong for ever, and nobody could see it.
 */
import { messageOf } from './runner-progress.js';

/** The rows cannot be served until a person restores or rebuilds something. */
export class ProjectionRefusedError extends Error {
  readonly code = 'projection_refused';
  override readonly name = 'ProjectionRefusedError';

  constructor(projection: string, cause: unknown) {
    super(`projection ${projection} is not served: ${messageOf(cause)}`, { cause });
  }
}

/** Set once, by whatever found out first. */
export class Refusal {
  readonly #projection: string;
  readonly #listeners = new Set<() => void>();
  #error: ProjectionRefusedError | undefined;

  /** @param projection its name */
  constructor(projection: string) {
    this.#projection = projection;
  }

  /** Why nothing is served; undefined while all is well. */
  get error(): ProjectionRefusedError | undefined {
    return this.#error;
  }

  /** @throws {ProjectionRefusedError} */
  assertNone(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  /** Refuses from here on, and tells everyone once. */
  set(cause: unknown): ProjectionRefusedError {
    if (this.#error !== undefined) return this.#error;
    this.#error = new ProjectionRefusedError(this.#projection, cause);
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
    return this.#error;
  }

  /**
   * Calls back once, when it refuses.
   *
   * @returns forgets the listener; may be called again
   */
  onSet(listener: () => void): () => void {
    const own = (): void => {
      listener();
    };
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }
}
