/** Projections as commands see them: through the running server, or directly where none runs. */
import type { z } from 'zod';
import {
  parkedPageSchema,
  projectionSchema,
  projectionsSchema,
  unparkedSchema,
  type ProjectionJson,
} from '../../api/projections/projections.schemas.js';
import { PlanlogServer } from '../frame/planlog-server.js';
import type { CliContext } from '../frame/verb.js';

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

/**
 * The server's where one runs; else the data directory itself, with its lock.
 *
 * @throws {CliError} neither can be had
 */
export async function accessProjections(context: CliContext): Promise<ProjectionsAccess> {
  const server = new PlanlogServer(context);
  if (await server.isThere()) return throughServer(server);
  const { openDirectly } = await import('./direct-access.js');
  return openDirectly(context);
}

function throughServer(server: PlanlogServer): ProjectionsAccess {
  const at = (name: string): string => `/v1/projections/${encodeURIComponent(name)}`;
  const parkedAt = (name: string, key: string): string =>
    `${at(name)}/parked/${encodeURIComponent(key)}`;
  return {
    list: async () => (await server.ask('GET', '/v1/projections', projectionsSchema)).items,
    pause: (name) => server.ask('POST', `${at(name)}/pause`, projectionSchema),
    resume: (name) => server.ask('POST', `${at(name)}/resume`, projectionSchema),
    parked: (name, cursor) => {
      const query = new URLSearchParams({ limit: String(PARKED_PAGE), ...(cursor && { cursor }) });
      return server.ask('GET', `${at(name)}/parked?${query.toString()}`, parkedPageSchema);
    },
    retry: (name, key) => server.ask('POST', `${parkedAt(name, key)}/retry`, unparkedSchema),
    discard: (name, key) => server.ask('POST', `${parkedAt(name, key)}/discard`, unparkedSchema),
    close: () => Promise.resolve(),
  };
}
