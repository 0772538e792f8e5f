/** How a command can fail without having been decided: a closed set, all worth a retry. */
export type FailureCode = 'store_unavailable' | 'outcome_unknown' | 'contended' | 'overloaded';

/**
 * A command that could not be carried out. With `outcome_unknown` it may have been stored:
 * send it again with the same command id. With the others nothing was stored.
 */
export class CommandFailedError extends Error {
  override readonly name = 'CommandFailedError';

  constructor(
    readonly code: FailureCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
