/**
 * The name of the log itself: the id of the first event of a stream of its own, written once.
 * A checkpoint belongs to it, so a restored or another log is noticed.
 */
import { randomUUID } from 'node:crypto';
import { ConflictError } from '../errors.js';
import type { AppendResult, ExpectedRevision, NewEvent, StoredEvent } from '../event-log.js';

export const LOG_IDENTITY_STREAM = 'planlog-log';
const TYPE = 'log/create';

export interface IdentityLog {
  first(stream: string): Promise<StoredEvent | undefined>;
  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<AppendResult>;
}

/** Reads the name; gives the log one where it has none. Whoever comes second reads the first's. */
export async function identify(log: IdentityLog): Promise<string> {
  const known = await log.first(LOG_IDENTITY_STREAM);
  if (known) return known.id;
  const event = { id: randomUUID(), type: TYPE, data: {}, metadata: { schemaVersion: 1 } };
  try {
    await log.append(LOG_IDENTITY_STREAM, 'no_stream', [event]);
    return event.id;
  } catch (error) {
    // A server that starts says that a stream does not exist before it knows its streams.
    const other = error instanceof ConflictError ? await log.first(LOG_IDENTITY_STREAM) : undefined;
    if (other) return other.id;
    throw error;
  }
}
