/** A rebuild through the running server, which has a process of its own do it. */
import { setTimeout as pause } from 'node:timers/promises';
import { generationsSchema } from '../../api/generations/generations.schemas.js';
import { generationSchema } from '../../api/projections/projections.schemas.js';
import type { PlanlogServer } from '../frame/planlog-server.js';
import { CliError } from '../frame/verb.js';
import type { BuildStatus, GenerationJson, RebuildWay } from './rebuild-way.js';

/** How often the server is asked how far it has come, milliseconds. */
const ASK_EVERY_MS = 500;

/** @param signal ends the waiting; the server goes on */
export function rebuildThroughServer(
  server: PlanlogServer,
  name: string,
  signal: AbortSignal,
): RebuildWay {
  const path = `/v1/projections/${encodeURIComponent(name)}/generations`;
  /** Undefined where the caller was interrupted. */
  const list = async (): Promise<GenerationJson[] | undefined> => {
    try {
      if (!signal.aborted) return (await server.ask('GET', path, generationsSchema)).items;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    return undefined;
  };
  return {
    whenInterrupted:
      'the server goes on building it; the same command waits for it again, ' +
      `DELETE ${path}/<generation> cancels it`,

    async build(progress) {
      let status: BuildStatus = await server.ask('POST', path, generationSchema);
      const { generation } = status;
      while (status.state === 'building') {
        progress(status);
        await pause(ASK_EVERY_MS, undefined, { signal }).catch(() => undefined);
        const items = await list();
        if (items === undefined) return status;
        const found = items.find((item) => item.generation === generation);
        if (!found) throw new CliError(`generation ${generation} of ${name} was removed`);
        status = found;
      }
      return status;
    },

    promote: (generation) => server.ask('POST', `${path}/${generation}/promote`, generationSchema),
  };
}
