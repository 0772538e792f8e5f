/** What ends a pull, and whether opening another one can help. */
import { CheckpointRegressionError, UnusableReadModelError } from '../read-model/read-model.js';
import { CheckpointMismatchError } from './checkpoint.js';
import { PoisonEventError } from './rebuild/poison-event.js';
import { RebuildEndedError, RebuildFailedError } from './rebuild/rebuild-ended.js';

/** The log ended a pull without a word. */
export class PullEndedError extends Error {
  override readonly name = 'PullEndedError';
}

/** Trying again cannot help: a person has to restore, rebuild or delete something. */
export function isFinal(error: unknown): boolean {
  return (
    error instanceof CheckpointMismatchError ||
    error instanceof UnusableReadModelError ||
    error instanceof CheckpointRegressionError ||
    error instanceof PoisonEventError ||
    error instanceof RebuildEndedError ||
    error instanceof RebuildFailedError
  );
}
