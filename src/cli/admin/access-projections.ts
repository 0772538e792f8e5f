/** Finds the way to the projections: the running server, or the data directory where none runs. */
import {
  parkedPageSchema,
  projectionSchema,
  projectionsSchema,
  unparkedSchema,
} from '../../api/projections/projections.schemas.js';
import { PlanlogServer } from '../frame/planlog-server.js';
import type { CliContext } from '../frame/verb.js';
import { PARKED_PAGE, type ProjectionsAccess } from './projections-access.js';

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
