/**
 * The port of a projection's catalogue: the little that is not derived from the log. It says
 * which generations there are and which one is served, whether a person has paused the
 * projection, and which events a person has discarded. Every call is durable when it resolves.
 */

/**
 * - `building`: a rebuild folds the log into it; nobody reads it
 * - `ready`: built and complete; may be promoted
 * - `serving`: readers are answered from it; at most one of each version
 * - `kept`: served once; follows the log, so that it can be promoted again
 * - `cancelled`, `failed`: will not be used; its rows are gone or will go
 */
export const GENERATION_STATES = [
  'building',
  'ready',
  'serving',
  'kept',
  'cancelled',
  'failed',
] as const;
export type GenerationState = (typeof GENERATION_STATES)[number];

/** What is recorded of a generation. */
export interface GenerationRecord {
  /** From 1, unique in the projection whatever the version, and never used again. */
  readonly generation: number;
  /** Of the projection whose fold makes its rows. */
  readonly version: number;
  readonly state: GenerationState;
  /** When it was begun, ISO 8601. */
  readonly startedAt: string;
  /** Why it has failed; null where it has not. */
  readonly problem: string | null;
  /** A row's visible epoch is this and the row's own epoch together. */
  readonly epochBase: number;
  /** A row's visible change number is this and the row's own change number together. */
  readonly changeBase: number;
}

/** The bases a generation is served with; see {@link GenerationRecord}. */
export type ServingBases = Pick<GenerationRecord, 'epochBase' | 'changeBase'>;

/** An event that a person has told the fold to pass over. */
export interface Discard {
  /** Of the row the event belongs to. */
  readonly key: string;
  readonly stream: string;
  readonly revision: bigint;
  /** Of the event itself: another event at that revision, in another log, is not passed over. */
  readonly eventId: string;
  /** When it was discarded, ISO 8601. */
  readonly at: string;
}

export interface ProjectionCatalog {
  /** All of them, in the order of their numbers. */
  generations(): Promise<readonly GenerationRecord[]>;

  /** Undefined where there is none of that number. */
  generation(generation: number): Promise<GenerationRecord | undefined>;

  /** Records a new generation, `building`, with the next number and bases of 0. */
  begin(version: number, at: Date): Promise<GenerationRecord>;

  /**
   * Changes a generation's state, if it is in one of `from`; else nothing changes. To be served
   * it is promoted instead.
   *
   * @param problem why, where it has failed
   * @returns it as it is now; undefined where there is none of that number
   */
  move(
    generation: number,
    from: readonly GenerationState[],
    to: Exclude<GenerationState, 'serving'>,
    problem?: string,
  ): Promise<GenerationRecord | undefined>;

  /**
   * Makes a generation the one that its version serves, in one transaction: the one that was
   * served until now is kept. One that is served already gets the new bases.
   *
   * @throws {GenerationStateError} it is cancelled, failed or unknown; nothing changes
   */
  promote(generation: number, bases: ServingBases): Promise<GenerationRecord>;

  /** Removes a generation from the record. Its number is not used again. */
  forget(generation: number): Promise<void>;

  /** Has a person paused the projection? */
  paused(): Promise<boolean>;

  setPaused(paused: boolean): Promise<void>;

  /** Every discarded event, the earliest discarded first. */
  discards(): Promise<readonly Discard[]>;

  /** Records a discard. The same event again changes nothing. */
  discard(discard: Discard): Promise<void>;

  /** Frees all resources. May be called again. */
  close(): Promise<void>;
}

/** A generation is not in a state in which this can be done. Nothing was changed. */
export class GenerationStateError extends Error {
  readonly code = 'generation_state';
  override readonly name = 'GenerationStateError';

  /** @param state undefined where there is no such generation */
  constructor(
    readonly generation: number,
    readonly state: GenerationState | undefined,
    message: string,
  ) {
    super(message);
  }
}
