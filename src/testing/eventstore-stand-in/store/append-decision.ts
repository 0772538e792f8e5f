/**
 * Decides what becomes of an append: the rules of expected revisions and of idempotency, in the
 * order in which the real server's index writer applies them.
 */
import type { CommittedIds } from './committed-ids.js';
import type { StreamLog } from './stream-log.js';

export type ExpectedRevision = bigint | 'any' | 'no_stream' | 'stream_exists';

export type AppendDecision =
  | { readonly kind: 'write' }
  /** All events are stored already; `revision` is that of the last of them. */
  | { readonly kind: 'idempotent'; readonly revision: bigint }
  | { readonly kind: 'wrong-revision'; readonly current: bigint | undefined }
  | { readonly kind: 'deleted' };

export interface AppendedTo {
  readonly name: string;
  readonly log: StreamLog | undefined;
  readonly tombstoned: boolean;
  readonly softDeleted: boolean;
  readonly hasMetadata: boolean;
}

export function decideAppend(
  stream: AppendedTo,
  expected: ExpectedRevision,
  ids: readonly string[],
  committed: CommittedIds,
): AppendDecision {
  if (stream.tombstoned) return { kind: 'deleted' };
  const current = stream.log?.lastRevision;
  if (expected === 'stream_exists') {
    if (stream.softDeleted) return { kind: 'deleted' };
    if (current === undefined && !stream.hasMetadata) return { kind: 'wrong-revision', current };
  }
  return expected === 'any' || expected === 'stream_exists'
    ? byMemory(stream, ids, committed)
    : byRevision(stream, expected === 'no_stream' ? -1n : expected, ids, committed);
}

/** Any revision: only the cache knows what was written before. */
function byMemory(
  { name, log }: AppendedTo,
  ids: readonly string[],
  committed: CommittedIds,
): AppendDecision {
  let last: bigint | undefined;
  for (const id of ids) {
    const known = committed.get(id);
    if (known?.stream !== name) {
      // A known id followed by an unknown one is no repetition of any earlier append.
      return last === undefined
        ? { kind: 'write' }
        : { kind: 'wrong-revision', current: log?.lastRevision };
    }
    last = known.revision;
  }
  return last === undefined ? { kind: 'write' } : { kind: 'idempotent', revision: last };
}

/** An exact revision: the events that lie there are compared, cached or not. */
function byRevision(
  { name, log, softDeleted }: AppendedTo,
  expected: bigint,
  ids: readonly string[],
  committed: CommittedIds,
): AppendDecision {
  const current = log?.lastRevision;
  const last = current ?? -1n;
  if (expected > last) return { kind: 'wrong-revision', current };
  if (expected === last) return { kind: 'write' };
  let revision = expected;
  for (const id of ids) {
    revision += 1n;
    const known = committed.get(id);
    if (known?.stream === name && known.revision === revision) continue;
    if (log?.at(revision)?.id === id) continue;
    const recreates = revision === expected + 1n && expected === -1n && softDeleted;
    return recreates ? { kind: 'write' } : { kind: 'wrong-revision', current };
  }
  return revision === expected
    ? { kind: 'wrong-revision', current }
    : { kind: 'idempotent', revision };
}
