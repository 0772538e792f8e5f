/** The projections of the stock server, as a process that builds their generations knows them. */
import type { GenerationRecord } from '../../projections/read-model/projection-catalog.js';
import type { ReadModels } from '../../projections/read-model/read-model.js';
import type { Projection } from '../../projections/runtime/define-projection.js';
import {
  rebuildGeneration,
  type RebuildOptions,
} from '../../projections/runtime/rebuild/rebuild-generation.js';
import { TODO_PROJECTIONS } from '../../todos/todo-projections.js';

/** What can be done with the generations of one projection, whatever its rows are. */
export interface StockRebuild {
  readonly name: string;
  readonly version: number;
  /** Builds a generation; see {@link rebuildGeneration}. */
  readonly build: (options: Omit<RebuildOptions<never>, 'projection'>) => Promise<GenerationRecord>;
  /** How many rows a generation has. Nobody may be writing it. */
  readonly countRows: (readModels: ReadModels, generation: number) => Promise<number>;
}

const PAGE = 1_000;

function of<Row>(projection: Projection<Row>): [string, StockRebuild] {
  const { name, version } = projection;
  const build: StockRebuild['build'] = (options) => rebuildGeneration({ ...options, projection });
  const countRows: StockRebuild['countRows'] = async (readModels, generation) => {
    const rows = await readModels.open(projection, generation);
    try {
      let count = 0;
      let page = await rows.scan(undefined, PAGE);
      while (page.length > 0) {
        count += page.filter(({ row }) => row !== undefined).length;
        page = await rows.scan(page.at(-1)?.key, PAGE);
      }
      return count;
    } finally {
      await rows.close();
    }
  };
  return [name, { name, version, build, countRows }];
}

/** By the projection's name. */
export const STOCK_REBUILDS: ReadonlyMap<string, StockRebuild> = new Map(
  TODO_PROJECTIONS.map((each) => each(of)),
);
