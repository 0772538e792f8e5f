/** The data directory itself, where no server runs: under the same lock as a server. */
import {
  parkedPage,
  projectionJson,
  unparkedJson,
} from '../../api/projections/projection-answers.js';
import { ConfigError, readConfig, type PlanlogConfig } from '../../server/config.js';
import { openStore, type OpenStore } from '../../server/open-store.js';
import { CliError, UsageError, type CliContext } from '../frame/verb.js';
import { PARKED_PAGE, type ProjectionsAccess } from './projections-access.js';

/**
 * @throws {UsageError} the environment cannot be used
 * @throws {CliError} the log or the read models cannot be opened, or a server has them
 */
export async function openStoreDirectly(context: CliContext): Promise<OpenStore> {
  const config = configOf(context);
  try {
    return await openStore(config, context.signal);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(
      `no server answers, and ${config.dataDir} cannot be used directly: ${reason}. ` +
        'Where a server runs, set PLANLOG_URL to it',
    );
  }
}

export async function openDirectly(context: CliContext): Promise<ProjectionsAccess> {
  const { projections, close } = await openStoreDirectly(context);
  return {
    list: async () => {
      const head = await projections.head();
      return Promise.all(projections.projections().map((one) => projectionJson(one, head)));
    },
    pause: async (name) => {
      const projection = projections.projection(name);
      await projection.pause();
      return projectionJson(projection, await projections.head());
    },
    resume: async (name) => {
      const projection = projections.projection(name);
      await projection.resume();
      return projectionJson(projection, await projections.head());
    },
    parked: (name, cursor) => parkedPage(projections.projection(name), PARKED_PAGE, cursor),
    retry: async (name, key) => unparkedJson(await projections.projection(name).retry(key)),
    discard: async (name, key) => unparkedJson(await projections.projection(name).discard(key)),
    close,
  };
}

/** @throws {UsageError} the environment cannot be used */
export function configOf({ env }: CliContext): PlanlogConfig {
  try {
    return readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message);
    throw error;
  }
}
