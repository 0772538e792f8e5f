/** Why something cannot be done with a generation, or with a projection that has none to serve. */
import type { GenerationRecord } from '../../read-model/projection-catalog.js';

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

/**
 * Says why a generation cannot be served, and what to do.
 *
 * @param ownVersion of the projection that runs here
 * @param hindered why one that is ready cannot be served all the same
 */
export function generationNotReady(
  { generation, version, state, problem: recorded }: GenerationRecord,
  ownVersion: number,
  hindered?: string,
): GenerationError {
  const problem = hindered ?? recorded;
  const is = `generation ${generation} is ${state}${problem === null ? '' : ` (${problem})`}`;
  let detail = `${is}; promote it when it is ready`;
  if (version !== ownVersion) {
    detail = `${is}, of version ${version}; this server is of version ${ownVersion}`;
  } else if (hindered !== undefined) detail = `${is}; try again, or rebuild`;
  else if (state === 'failed' || state === 'cancelled') detail = `${is}; rebuild again`;
  return new GenerationError('generation_not_ready', generation, detail);
}
