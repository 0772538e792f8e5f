/** Removes the rows of a generation that nobody needs any more. */
import { firstValueFrom } from 'rxjs';
import { ReadModelLockedError, type ReadModels } from '../../read-model/read-model.js';
import { wait, type Clock } from '../clock.js';
import { generationLock } from '../rebuild/rebuild-generation.js';

/** How long the job that writes the rows may take to end, milliseconds. */
const UNLOCK_MS = 5_000;
const TRY_EVERY_MS = 100;

/**
 * Waits for the job that writes them, which ends when it looks at the catalogue.
 *
 * @param timeoutMs how long at most, milliseconds; 0 tries once
 * @throws {ReadModelLockedError} the job has not ended
 */
export async function removeRows(
  readModels: ReadModels,
  projection: { readonly name: string; readonly version: number },
  generation: number,
  clock: Clock,
  timeoutMs: number = UNLOCK_MS,
): Promise<void> {
  const until = clock.now() + timeoutMs;
  for (;;) {
    try {
      const release = await readModels.lock(generationLock(projection, generation));
      try {
        await readModels.drop(projection, generation);
      } finally {
        release();
      }
      return;
    } catch (error) {
      if (!(error instanceof ReadModelLockedError) || clock.now() >= until) throw error;
      await firstValueFrom(wait(clock, TRY_EVERY_MS));
    }
  }
}
