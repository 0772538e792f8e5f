/**
 * The log in memory: appends in constant time, every record found by stream and revision or by
 * its index in the order of all.
 */
import { decideAppend, type AppendDecision, type ExpectedRevision } from './append-decision.js';
import { CommittedIds } from './committed-ids.js';
import {
  recordLength,
  SOFT_DELETED,
  systemEvent,
  TICKS_PER_MILLISECOND,
  TOMBSTONE_REVISION,
  type ProposedEvent,
  type StoredRecord,
} from './record.js';
import { StreamLog } from './stream-log.js';
import {
  firstVisibleRevision,
  NO_METADATA,
  parseMetadata,
  softDeleteMetadata,
  withTruncateBefore,
  type StreamMetadata,
} from './stream-metadata.js';

export type AppendOutcome =
  | {
      readonly kind: 'appended' | 'idempotent';
      /** Undefined after an empty append to a stream that does not exist. */
      readonly revision: bigint | undefined;
      readonly position: bigint;
    }
  | Exclude<AppendDecision, { kind: 'write' | 'idempotent' }>;

/** How a stream looks to a reader. */
export interface StreamView {
  readonly log: StreamLog;
  /** Events below it are hidden by metadata. */
  readonly firstVisible: bigint;
}

export interface EventStoreOptions {
  /** The server's clock, in milliseconds. */
  readonly now?: () => number;
  /** How many event ids the idempotency cache holds. */
  readonly rememberedIds?: number;
}

export class EventStore {
  /** Every record in the order of the log. */
  readonly all: StoredRecord[] = [];
  readonly #now: () => number;
  readonly #committed: CommittedIds;
  readonly #streams = new Map<string, StreamLog>();
  readonly #metadata = new Map<string, StreamMetadata>();
  readonly #listeners = new Set<() => void>();
  #end = 0n;

  constructor({ now = Date.now, rememberedIds }: EventStoreOptions = {}) {
    this.#now = now;
    this.#committed = new CommittedIds(rememberedIds);
    this.#writeEpoch();
    this.#write('$$$scavenges', [systemEvent('$metadata', '{"$maxCount":1}')]);
    this.#write('$users', [systemEvent('$user', '"admin"')]);
  }

  /** Where the next record will lie. */
  get end(): bigint {
    return this.#end;
  }

  /** Index in {@link all} of the first record at or after a position. */
  indexOf(position: bigint): number {
    let low = 0;
    let high = this.all.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const record = this.all[middle];
      if (record !== undefined && record.position < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly ProposedEvent[],
    { forgetful = false }: { readonly forgetful?: boolean } = {},
  ): AppendOutcome {
    const log = this.#streams.get(stream);
    const decision = decideAppend(
      {
        name: stream,
        log,
        tombstoned: this.isTombstoned(stream),
        softDeleted: this.#isSoftDeleted(stream),
        hasMetadata: this.#streams.has(`$$${stream}`),
      },
      expected,
      events.map((event) => event.id),
      this.#committed,
    );
    if (decision.kind === 'wrong-revision' || decision.kind === 'deleted') return decision;
    if (decision.kind === 'idempotent' && forgetful && expected !== 'any') {
      return { kind: 'wrong-revision', current: log?.lastRevision };
    }
    if (decision.kind === 'idempotent') {
      const position = log?.at(decision.revision)?.position ?? this.#end;
      return { kind: 'idempotent', revision: decision.revision, position };
    }
    const last = events.length === 0 ? undefined : this.#writeByClient(stream, events);
    this.#notify();
    return {
      kind: 'appended',
      revision: last?.revision ?? log?.lastRevision,
      position: last?.position ?? this.#end,
    };
  }

  /** Hides every event of a stream; the next append brings it back, its revisions going on. */
  delete(stream: string, expected: ExpectedRevision): AppendOutcome {
    const refused = this.#refusesDelete(stream, expected);
    if (refused !== undefined) return refused;
    const deletion = systemEvent('$metadata', softDeleteMetadata());
    const { position } = this.#write(`$$${stream}`, [deletion]);
    this.#notify();
    return { kind: 'appended', revision: undefined, position };
  }

  /** Deletes a stream for ever. */
  tombstone(stream: string, expected: ExpectedRevision): AppendOutcome {
    const refused = expected === 'any' ? undefined : this.#refusesDelete(stream, expected);
    if (refused !== undefined) return refused;
    if (this.isTombstoned(stream)) return { kind: 'deleted' };
    const buried = systemEvent('$streamDeleted', '');
    const record = this.#place(stream, TOMBSTONE_REVISION, buried);
    this.#streamOf(stream).bury(record);
    this.#notify();
    return { kind: 'appended', revision: undefined, position: record.position };
  }

  isTombstoned(stream: string): boolean {
    const buried = this.#streams.get(stream)?.tombstone !== undefined;
    return buried || (stream.startsWith('$$') && this.isTombstoned(stream.slice(2)));
  }

  /** Undefined for a stream that a reader is told does not exist. */
  view(stream: string): StreamView | undefined {
    const log = this.#streams.get(stream);
    const last = log?.lastRevision;
    if (log === undefined || last === undefined || this.#isSoftDeleted(stream)) return undefined;
    const firstVisible = firstVisibleRevision(log, last, this.#metadataOf(stream), this.#now());
    return { log, firstVisible };
  }

  /** The records of a stream whatever its metadata says, for those who follow it live. */
  logOf(stream: string): StreamLog | undefined {
    return this.#streams.get(stream);
  }

  /** Prepares a stream whose first event has a high revision, as scavenging leaves it. */
  startStreamAt(stream: string, revision: bigint): void {
    if (this.#streams.has(stream)) throw new Error(`the stream ${stream} exists`);
    this.#streams.set(stream, new StreamLog(revision));
  }

  /** What a restart or a change of leader does to a server: it forgets ids and opens an epoch. */
  beginEpoch(): void {
    this.#committed.forget();
    this.#writeEpoch();
    this.#notify();
  }

  /** Calls back after every write, until the returned function is called. */
  onWrite(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #refusesDelete(stream: string, expected: ExpectedRevision): AppendOutcome | undefined {
    if (this.isTombstoned(stream)) return { kind: 'deleted' };
    const current = this.#streams.get(stream)?.lastRevision;
    const matches =
      expected === 'no_stream'
        ? current === undefined
        : current !== undefined && (typeof expected === 'string' || expected === current);
    return matches ? undefined : { kind: 'wrong-revision', current };
  }

  #writeByClient(stream: string, events: readonly ProposedEvent[]): StoredRecord {
    const original = stream.startsWith('$$') ? stream.slice(2) : undefined;
    const undeletes = this.#isSoftDeleted(stream);
    const undeletesOriginal = original !== undefined && this.#isSoftDeleted(original);
    const before = this.#metadataBytes(stream);
    const last = this.#write(stream, events);
    for (const { id, revision } of this.all.slice(-events.length)) {
      this.#committed.add(id, { stream, revision });
    }
    if (undeletes) this.#truncate(stream, before, last.revision - BigInt(events.length) + 1n);
    if (undeletesOriginal) {
      this.#truncate(original, last.data, this.#streamOf(original).nextRevision);
    }
    return last;
  }

  #truncate(stream: string, metadata: Uint8Array, before: bigint): void {
    const truncated = withTruncateBefore(metadata, before);
    this.#write(`$$${stream}`, [systemEvent('$metadata', truncated)]);
  }

  #write(stream: string, events: readonly ProposedEvent[]): StoredRecord {
    const log = this.#streamOf(stream);
    let record: StoredRecord | undefined;
    for (const event of events) {
      record = this.#place(stream, log.nextRevision, event);
      log.add(record);
    }
    if (record === undefined) throw new Error('nothing to write');
    if (stream.startsWith('$$')) this.#metadata.set(stream.slice(2), parseMetadata(record.data));
    return record;
  }

  #place(stream: string, revision: bigint, event: ProposedEvent): StoredRecord {
    const created = BigInt(this.#now()) * TICKS_PER_MILLISECOND;
    const record: StoredRecord = {
      id: event.id,
      type: event.type,
      contentType: event.contentType,
      data: event.data,
      metadata: event.metadata,
      stream,
      revision,
      position: this.#end,
      created,
      encoded: undefined,
    };
    this.#end += recordLength(stream, event);
    this.all.push(record);
    return record;
  }

  #streamOf(stream: string): StreamLog {
    const known = this.#streams.get(stream);
    if (known !== undefined) return known;
    const log = new StreamLog();
    this.#streams.set(stream, log);
    return log;
  }

  #metadataOf(stream: string): StreamMetadata {
    // A stream of metadata always shows its last event only.
    if (stream.startsWith('$$')) return { maxCount: 1n };
    return this.#metadata.get(stream) ?? NO_METADATA;
  }

  #metadataBytes(stream: string): Uint8Array {
    const log = this.#streams.get(`$$${stream}`);
    const last = log?.lastRevision;
    return (last === undefined ? undefined : log?.at(last)?.data) ?? new Uint8Array();
  }

  #isSoftDeleted(stream: string): boolean {
    return this.#metadata.get(stream)?.truncateBefore === SOFT_DELETED;
  }

  #writeEpoch(): void {
    this.#write('$epoch-information', [systemEvent('$epoch-information', '{}')]);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
