/**
 * Truncates a stream by `$tb` in its metadata: a write like any other, at the revision that
 * the metadata was read at, so that nobody else's change is lost.
 */
import { randomUUID } from 'node:crypto';
import { ConflictError, OutcomeUnknownError, UnavailableError } from '../errors.js';
import type { AppendResult, ExpectedRevision, NewEvent } from '../event-log.js';
import type { RecordedEvent } from './recorded-event.js';
import { withTruncateBefore } from './stream-metadata.js';

export interface TruncationLog {
  /** The last event of a stream. */
  last(stream: string): Promise<RecordedEvent | undefined>;
  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<AppendResult>;
}

/** Others may change the metadata meanwhile, this often. */
const MOST_TRIES = 5;

/** @throws {UnavailableError} */
export async function truncateStream(
  log: TruncationLog,
  stream: string,
  before: bigint,
): Promise<void> {
  let cause: unknown;
  for (let attempt = 0; attempt < MOST_TRIES; attempt += 1) {
    const last = await log.last(stream);
    if (last === undefined) return;
    // The last event always stays: a stream whose every event is gone loses its revisions' end.
    const keep = before < last.revision ? before : last.revision;
    if (keep <= 0n) return;
    const stored = await log.last(`$$${stream}`);
    const metadata = withTruncateBefore(stored?.dataText, keep);
    if (metadata.kind === 'done') return;
    if (metadata.kind === 'impossible') {
      throw new UnavailableError('failed', `cannot truncate ${stream}: ${metadata.why}`);
    }
    const event = { id: randomUUID(), type: '$metadata', data: metadata.data, metadata: {} };
    try {
      await log.append(`$$${stream}`, stored?.revision ?? 'no_stream', [event]);
      return;
    } catch (error) {
      // Somebody else wrote it, or nobody knows whether we did: look again.
      if (!(error instanceof ConflictError) && !(error instanceof OutcomeUnknownError)) throw error;
      cause = error;
    }
  }
  throw new UnavailableError('unreachable', `cannot truncate ${stream}`, { cause });
}
