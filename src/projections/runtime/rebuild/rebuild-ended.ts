/** A job finds that its generation is no longer to be built. */
export class RebuildEndedError extends Error {
  readonly code = 'rebuild_ended';
  override readonly name = 'RebuildEndedError';
}

/** What a job has built cannot be used, and going on would not help. */
export class RebuildFailedError extends Error {
  readonly code = 'rebuild_failed';
  override readonly name = 'RebuildFailedError';
}
