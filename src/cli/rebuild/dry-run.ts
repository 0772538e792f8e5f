/** `planlog rebuild --dry-run`: a generation in a folder of its own, which is thrown away. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadModels } from '../../projections/read-model/read-model.js';
import { messageOf } from '../../projections/runtime/runner-progress.js';
import { openLogToRead } from '../../server/rebuild/open-log-to-read.js';
import { readModelsIn } from '../../server/rebuild/read-models-in.js';
import { configOf } from '../admin/direct-access.js';
import { CliError, type CliContext } from '../frame/verb.js';
import { foldLog, stockRebuild } from './direct-rebuild.js';
import type { BuildStatus } from './rebuild-way.js';

/** What a rebuild would make. */
export interface DryRun {
  /** `building` where it was interrupted. */
  readonly state: BuildStatus['state'];
  readonly events: number;
  readonly rows: number;
  /** The event at which it would stop, in words. */
  readonly problem: string | null;
}

/**
 * @throws {ProjectionNotFoundError}
 * @throws {UsageError} the environment cannot be used
 * @throws {CliError} there is no log here
 */
export async function dryRun(
  name: string,
  context: CliContext,
  progress: (status: BuildStatus) => void,
): Promise<DryRun> {
  const projection = stockRebuild(name);
  const config = configOf(context);
  try {
    await (await openLogToRead(config, context.signal, () => undefined)).close();
  } catch (error) {
    throw new CliError(
      `--dry-run reads the log itself, with the server's own settings: ${messageOf(error)}`,
    );
  }
  await mkdir(config.dataDir, { recursive: true });
  // Where a rebuild would put them: whether there is room for them is part of the answer.
  const directory = await mkdtemp(join(config.dataDir, 'dry-run-'));
  try {
    const readModels = readModelsIn(directory);
    const record = await prepare(name, projection.version, readModels, config.dataDir);
    const { state, events, problem } = await foldLog(
      projection,
      { readModels, record },
      config,
      context,
      progress,
    );
    const rows = await projection.countRows(readModels, record.generation);
    return { state, events, rows, problem };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** A catalogue of its own, with the discards of the real one. */
async function prepare(name: string, version: number, readModels: ReadModels, dataDir: string) {
  const real = await readModelsIn(dataDir).catalog(name);
  try {
    const catalog = await readModels.catalog(name);
    try {
      for (const discard of await real.discards()) await catalog.discard(discard);
      return await catalog.begin(version, new Date());
    } finally {
      await catalog.close();
    }
  } finally {
    await real.close();
  }
}
