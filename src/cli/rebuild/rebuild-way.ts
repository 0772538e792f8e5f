/** Rebuilding as the command sees it: through the running server, or directly where none runs. */
import type { z } from 'zod';
import type { generationSchema } from '../../api/projections/projections.schemas.js';

export type GenerationJson = z.infer<typeof generationSchema>;

/** A generation, as far as a rebuild shows it. */
export type BuildStatus = Pick<
  GenerationJson,
  'generation' | 'state' | 'events' | 'percent' | 'problem'
>;

export interface RebuildWay {
  /** What becomes of a build that is interrupted, and what to do then. */
  readonly whenInterrupted: string;

  /**
   * Has a generation built, or goes on with one that was begun.
   *
   * @param progress told now and then how far it has come
   * @returns it when it is over; `building` where the caller was interrupted
   */
  build(progress: (status: BuildStatus) => void): Promise<BuildStatus>;

  /** Serves it in place of the one that is served. */
  promote(generation: number): Promise<BuildStatus>;
}
