/** What the people who run a projection can do with it: what routes and the command line call. */
import type { Position } from '../../events/log/position.js';
import type { ProjectionStatus } from './projection-status.js';
import type { GenerationStatus } from './generations/generation-status.js';
import type { ParkedKey, UnparkedKey } from './parking/parked-keys.js';

export interface ManagedProjection {
  readonly name: string;

  /** @param head where the log ends; undefined where that is not known */
  status(head: Position | undefined): Promise<ProjectionStatus>;

  /** Its generations, by rising number. */
  listGenerations(head: Position | undefined): Promise<readonly GenerationStatus[]>;

  /** See {@link GenerationSet.rebuild}. */
  rebuild(head: Position | undefined): Promise<GenerationStatus>;

  /**
   * See {@link GenerationSet.promote}.
   *
   * @throws {GenerationError} `generation_not_found`, `generation_not_ready`
   */
  promote(generation: number, head: Position | undefined): Promise<GenerationStatus>;

  /**
   * See {@link GenerationSet.drop}.
   *
   * @throws {GenerationError} `generation_not_found`, `generation_serving`
   */
  drop(generation: number, head: Position | undefined): Promise<GenerationStatus>;

  /**
   * Lets it finish the batch in hand and stand still, also over restarts, until it is resumed:
   * readers go on to be answered from its rows as they are. May be called again.
   */
  pause(): Promise<void>;

  /** Lets it go on from where it stands. May be called again. */
  resume(): Promise<void>;

  /**
   * A page of the keys that stand still at an event that could not be folded, by rising key.
   *
   * @param after the last key of the page before
   */
  parkedKeys(limit: number, after?: string): Promise<readonly ParkedKey[]>;

  /**
   * Folds a parked key's events anew, with the fold as it is now.
   *
   * @throws {NotParkedError}
   * @throws {UnavailableError} the log cannot be read; the key stands as it did
   */
  retry(key: string): Promise<UnparkedKey>;

  /**
   * Has the event at which a key stands passed over, for ever and by every rebuild, then folds
   * the key's events anew.
   *
   * @throws {NotParkedError}
   * @throws {UnavailableError} the log cannot be read
   */
  discard(key: string): Promise<UnparkedKey>;
}

/** There is no projection of this name. */
export class ProjectionNotFoundError extends Error {
  readonly code = 'projection_not_found';
  override readonly name = 'ProjectionNotFoundError';

  /** @param known the names that there are */
  constructor(
    readonly projection: string,
    known: readonly string[],
  ) {
    super(`there is no projection ${projection}; there are: ${known.join(', ')}`);
  }
}
