/** Projections as commands see them: through the running server, or directly where none runs. */
import type { z } from 'zod';
import type {
  parkedPageSchema,
  ProjectionJson,
  unparkedSchema,
} from '../../api/projections/projections.schemas.js';

export type ParkedPageJson = z.infer<typeof parkedPageSchema>;
export type UnparkedJson = z.infer<typeof unparkedSchema>;

export interface ProjectionsAccess {
  list(): Promise<readonly ProjectionJson[]>;
  pause(name: string): Promise<ProjectionJson>;
  resume(name: string): Promise<ProjectionJson>;
  /** @param cursor as the page before gave it */
  parked(name: string, cursor: string | undefined): Promise<ParkedPageJson>;
  retry(name: string, key: string): Promise<UnparkedJson>;
  discard(name: string, key: string): Promise<UnparkedJson>;
  close(): Promise<void>;
}

/** The most keys that are asked for at once. */
export const PARKED_PAGE = 500;
