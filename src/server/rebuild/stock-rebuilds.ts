/** The projections of the stock server, as a process that builds their generations knows them. */
import type { GenerationRecord } from '../../projections/read-model/projection-catalog.js';
import type { Projection } from '../../projections/runtime/define-projection.js';
import {
  rebuildGeneration,
  type RebuildOptions,
} from '../../projections/runtime/rebuild/rebuild-generation.js';
import { TODO_PROJECTIONS } from '../../todos/todo-projections.js';

/** Builds a generation of one projection; see {@link rebuildGeneration}. */
export type StockRebuild = (
  options: Omit<RebuildOptions<never>, 'projection'>,
) => Promise<GenerationRecord>;

function of<Row>(projection: Projection<Row>): [string, StockRebuild] {
  return [projection.name, (options) => rebuildGeneration({ ...options, projection })];
}

/** By the projection's name. */
export const STOCK_REBUILDS: ReadonlyMap<string, StockRebuild> = new Map(
  TODO_PROJECTIONS.map((each) => each(of)),
);
