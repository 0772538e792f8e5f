/** With which bases a generation is served, so that what readers see of a key only rises. */
import type { GenerationRecord, ServingBases } from '../../read-model/projection-catalog.js';
import { UnusableReadModelError, type RowsProgress } from '../../read-model/read-model.js';
import type { LiveGeneration } from './live-generation.js';

/** The greatest epoch and the greatest change number of rows. */
type Greatest = Pick<RowsProgress, 'epoch' | 'change'>;

/**
 * Above all that readers have seen, also in a row that was new while it served before.
 *
 * @param served makes no commit meanwhile; its rows may be damaged
 */
export async function basesAfter<Row>(
  served: LiveGeneration<Row>,
  next: GenerationRecord,
): Promise<ServingBases> {
  const { epochBase, changeBase } = served.record;
  const { epoch, change } = await greatestOf(served);
  return {
    epochBase: next.epochBase + epochBase + epoch + 1,
    changeBase: changeBase + change,
  };
}

/**
 * A version's first generation shows nothing older than what other versions have shown.
 *
 * @param progress how far the rows of a generation have come; undefined where there are none
 */
export async function basesAfterOthers(
  records: readonly GenerationRecord[],
  progress: (record: GenerationRecord) => Promise<Greatest | undefined>,
): Promise<ServingBases> {
  let epochBase = 0;
  let changeBase = 0;
  for (const record of records) {
    if (record.state !== 'serving' && record.state !== 'kept') continue;
    const greatest = await progress(record);
    epochBase = Math.max(epochBase, record.epochBase + (greatest?.epoch ?? 0));
    changeBase = Math.max(changeBase, record.changeBase + (greatest?.change ?? 0));
  }
  return { epochBase, changeBase };
}

async function greatestOf<Row>(served: LiveGeneration<Row>): Promise<Greatest> {
  try {
    return await served.rows.progress();
  } catch (error) {
    if (!(error instanceof UnusableReadModelError)) throw error;
    // A promotion is the way out of the damage. An epoch is raised by an event, of which the log
    // has no more than it has positions, or by a repair, which is a change.
    const change = await served.rows.lastChange();
    return { change, epoch: change + Number((await served.position()).commit) };
  }
}
