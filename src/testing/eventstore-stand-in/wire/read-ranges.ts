/**
 * The records of a stream between two revisions, in either direction.
 */
import type { StoredRecord } from '../store/record.js';
import type { StreamLog } from '../store/stream-log.js';

export function* readForwards(
  log: StreamLog,
  first: bigint,
  last: bigint,
  count: bigint,
): Generator<StoredRecord, void, undefined> {
  let left = count;
  for (let revision = first; revision <= last && left > 0n; revision += 1n) {
    const record = log.at(revision);
    if (record === undefined) continue;
    left -= 1n;
    yield record;
  }
}

export function* readBackwards(
  log: StreamLog,
  first: bigint,
  last: bigint,
  count: bigint,
): Generator<StoredRecord, void, undefined> {
  let left = count;
  for (let revision = first; revision >= last && left > 0n; revision -= 1n) {
    const record = log.at(revision);
    if (record === undefined) continue;
    left -= 1n;
    yield record;
  }
}
