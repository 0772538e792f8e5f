/** A rebuild in this process, on the data directory itself, where no server runs. */
import {
  ProjectionNotFoundError,
  type ManagedProjection,
} from '../../projections/runtime/managed-projection.js';
import { percentOf } from '../../projections/runtime/generations/generation-status.js';
import { projectionLock } from '../../projections/runtime/generations/generation-set.js';
import type { RebuildProgress } from '../../projections/runtime/rebuild/rebuild-generation.js';
import type { GenerationRecord } from '../../projections/read-model/projection-catalog.js';
import type { ReadModels } from '../../projections/read-model/read-model.js';
import { isFinal } from '../../projections/runtime/runner-failures.js';
import { messageOf } from '../../projections/runtime/runner-progress.js';
import type { PlanlogConfig } from '../../server/config.js';
import { openLogToRead } from '../../server/rebuild/open-log-to-read.js';
import { readModelsIn } from '../../server/rebuild/read-models-in.js';
import { STOCK_REBUILDS, type StockRebuild } from '../../server/rebuild/stock-rebuilds.js';
import { configOf, openStoreDirectly } from '../admin/direct-access.js';
import { printable } from '../frame/run-cli.js';
import { CliError, type CliContext } from '../frame/verb.js';
import type { BuildStatus, RebuildWay } from './rebuild-way.js';

/** @throws {ProjectionNotFoundError} */
export function stockRebuild(name: string): StockRebuild {
  const found = STOCK_REBUILDS.get(name);
  if (found) return found;
  throw new ProjectionNotFoundError(name, [...STOCK_REBUILDS.keys()]);
}

/**
 * @throws {ProjectionNotFoundError}
 * @throws {UsageError} the environment cannot be used
 */
export function rebuildDirectly(name: string, context: CliContext): RebuildWay {
  const projection = stockRebuild(name);
  const config = configOf(context);
  return {
    whenInterrupted: 'what was built stays, and the same command goes on with it',
    build: (progress) => buildDirectly(projection, config, context, progress),
    promote: (generation) => promoteDirectly(name, generation, context),
  };
}

async function buildDirectly(
  projection: StockRebuild,
  config: PlanlogConfig,
  context: CliContext,
  progress: (status: BuildStatus) => void,
): Promise<BuildStatus> {
  const readModels = readModelsIn(config.dataDir);
  // All the while: a server that started now would begin to decide on what is built here.
  const release = await decide(readModels, projection, config);
  try {
    const record = await begin(readModels, projection);
    return await foldLog(projection, { readModels, record }, config, context, progress);
  } finally {
    release();
  }
}

/** Folds the log into a generation, wherever that is kept. */
export async function foldLog(
  projection: StockRebuild,
  to: { readonly readModels: ReadModels; readonly record: GenerationRecord },
  config: PlanlogConfig,
  { signal, err }: CliContext,
  progress: (status: BuildStatus) => void,
): Promise<BuildStatus> {
  const { generation } = to.record;
  let come: Pick<BuildStatus, 'events' | 'percent'> = { events: 0, percent: null };
  const report = (message: string): void => {
    err(`planlog rebuild: ${printable(message)}\n`);
  };
  progress({ generation, state: 'building', problem: null, ...come });
  const log = await openLogToRead(config, signal, report);
  try {
    const { state, problem } = await projection.build({
      log,
      readModels: to.readModels,
      generation,
      signal,
      progress: ({ events, position, head }: RebuildProgress) => {
        come = { events, percent: percentOf(position, head) };
        progress({ generation, state: 'building', problem: null, ...come });
      },
      runner: {
        report: (message, error) => {
          // What ends it is how it ends: that is said once, and last.
          if (!isFinal(error)) report(`${message}: ${messageOf(error)}`);
        },
      },
    });
    return { generation, state, problem, ...come };
  } finally {
    await log.close();
  }
}

async function begin(
  readModels: ReadModels,
  { name, version }: StockRebuild,
): Promise<GenerationRecord> {
  const catalog = await readModels.catalog(name);
  try {
    const begun = (await catalog.generations()).find(
      (record) => record.version === version && record.state === 'building',
    );
    return begun ?? (await catalog.begin(version, new Date()));
  } finally {
    await catalog.close();
  }
}

async function promoteDirectly(
  name: string,
  generation: number,
  context: CliContext,
): Promise<BuildStatus> {
  const { projections, close } = await openStoreDirectly(context);
  try {
    const projection: ManagedProjection = projections.projection(name);
    return await projection.promote(generation, await projections.head());
  } finally {
    await close();
  }
}

/**
 * Looks for the log before anything is made, and takes the lock of whoever decides on the
 * generations of a projection.
 *
 * @throws {CliError}
 */
async function decide(
  readModels: ReadModels,
  { name, version }: StockRebuild,
  config: PlanlogConfig,
): Promise<() => void> {
  try {
    if (config.eventStore === undefined) {
      const { signal } = new AbortController();
      await (await openLogToRead(config, signal, () => undefined)).close();
    }
    return await readModels.lock(projectionLock(name, version));
  } catch (error) {
    throw new CliError(
      `no server answers, and ${config.dataDir} cannot be used directly: ${messageOf(error)}. ` +
        'Where a server runs, set PLANLOG_URL to it',
    );
  }
}
