/**
 * Where a subscription gets its events from: the whole log, or one stream. A source is a cursor
 * over what is stored, so nothing is buffered for a slow reader, lost, or seen twice where
 * stored and new events meet.
 */
import type { EventStore } from '../store/event-store.js';
import type { StoredRecord } from '../store/record.js';
import type { EventFilter } from './event-filter.js';
import type { WirePosition } from './read-messages.js';

export interface SubscriptionSource {
  readonly name: string;
  /** Checkpoints are due for a filtered `$all` only. */
  readonly filter: EventFilter | undefined;
  /** The next record, undefined at the head. Live readers see events that metadata hides. */
  take(live: boolean): StoredRecord | undefined;
  /** How many records lie ahead. */
  lag(): number;
  /** True once a tombstone was taken. */
  readonly deleted: boolean;
}

export class AllSource implements SubscriptionSource {
  readonly name = '$all';
  readonly deleted = false;
  readonly filter: EventFilter | undefined;
  readonly #store: EventStore;
  #index: number;

  constructor(
    store: EventStore,
    from: WirePosition | 'start' | 'end',
    filter: EventFilter | undefined,
  ) {
    this.#store = store;
    this.filter = filter;
    if (from === 'start') this.#index = 0;
    else if (from === 'end') this.#index = store.all.length;
    else this.#index = firstAfter(store, from);
  }

  take(): StoredRecord | undefined {
    const record = this.#store.all[this.#index];
    if (record !== undefined) this.#index += 1;
    return record;
  }

  lag(): number {
    return this.#store.all.length - this.#index;
  }
}

/** Positions are compared as pairs: after (commit, prepare) comes an event at `commit` itself
 * where `prepare` is lower. */
function firstAfter(store: EventStore, { commit, prepare }: WirePosition): number {
  const index = store.indexOf(commit);
  const isItself = store.all[index]?.position === commit && prepare >= commit;
  return isItself ? index + 1 : index;
}

export class StreamSource implements SubscriptionSource {
  readonly name: string;
  readonly filter = undefined;
  readonly #store: EventStore;
  #next: bigint;
  #deleted = false;

  constructor(store: EventStore, stream: string, from: bigint | 'start' | 'end') {
    this.name = stream;
    this.#store = store;
    if (from === 'start') this.#next = 0n;
    else if (from === 'end') this.#next = store.logOf(stream)?.nextRevision ?? 0n;
    else this.#next = from + 1n;
  }

  get deleted(): boolean {
    return this.#deleted;
  }

  take(live: boolean): StoredRecord | undefined {
    const log = this.#store.logOf(this.name);
    if (log === undefined) return undefined;
    if (!live) {
      const visible = this.#store.view(this.name)?.firstVisible ?? log.nextRevision;
      if (this.#next < visible) this.#next = visible;
    }
    const record = log.at(this.#next);
    if (record !== undefined) {
      this.#next += 1n;
      return record;
    }
    if (log.tombstone === undefined || this.#deleted) return undefined;
    this.#deleted = true;
    return log.tombstone;
  }

  lag(): number {
    const log = this.#store.logOf(this.name);
    return log === undefined || log.nextRevision < this.#next
      ? 0
      : Number(log.nextRevision - this.#next);
  }
}
