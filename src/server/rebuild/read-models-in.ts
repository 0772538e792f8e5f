/** The read models of a directory, for commands that build some without a server. */
import type { ReadModels } from '../../projections/read-model/read-model.js';
import { sqliteReadModels } from '../../projections/read-model/sqlite/sqlite-read-models.js';

/** @param directory a data directory, or one that is thrown away */
export function readModelsIn(directory: string): ReadModels {
  return sqliteReadModels(directory);
}
