/** How a projection or a reaction is doing, and the error of one that does not run. */
import type { RunnerStatus } from './runner-progress.js';

export interface ProjectionStatus extends RunnerStatus {
  readonly name: string;
  readonly version: number;
  readonly kind: 'projection' | 'reaction';
  /** How many keys stand still. */
  readonly parked: number;
  /** The generation that readers are answered from; null where there is none, and for reactions. */
  readonly serving: number | null;
}

/** Rows are asked for before the start or after the stop. */
export class ProjectionNotStartedError extends Error {
  readonly code = 'projection_not_started';
  override readonly name = 'ProjectionNotStartedError';
}
