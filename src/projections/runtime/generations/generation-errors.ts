/** Why something cannot be done with a generation, or with a projection that has none to serve. */

export type GenerationErrorCode =
  'generation_not_found' | 'generation_not_ready' | 'generation_serving';

/** What was asked for does not fit the generation. Nothing was changed. */
export class GenerationError extends Error {
  override readonly name = 'GenerationError';

  constructor(
    readonly code: GenerationErrorCode,
    readonly generation: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * No generation of this version is complete yet, so there is nothing to answer from: neither an
 * empty view nor an older one.
 */
export class ProjectionNotReadyError extends Error {
  readonly code = 'projection_not_ready';
  override readonly name = 'ProjectionNotReadyError';
}
