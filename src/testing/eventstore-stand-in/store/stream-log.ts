/**
 * The records of one stream, found by revision in constant time.
 */
import type { StoredRecord } from './record.js';

export class StreamLog {
  readonly #first: bigint;
  readonly #records: StoredRecord[] = [];
  #tombstone: StoredRecord | undefined;

  /** @param first the revision of the first event: above 0 for a stream scavenged at its start */
  constructor(first = 0n) {
    this.#first = first;
  }

  get tombstone(): StoredRecord | undefined {
    return this.#tombstone;
  }

  /** The revision of the last event but a tombstone, undefined when there is none. */
  get lastRevision(): bigint | undefined {
    return this.#records.at(-1)?.revision;
  }

  get nextRevision(): bigint {
    return this.#first + BigInt(this.#records.length);
  }

  get firstRevision(): bigint {
    return this.#first;
  }

  add(record: StoredRecord): void {
    this.#records.push(record);
  }

  bury(tombstone: StoredRecord): void {
    this.#tombstone = tombstone;
  }

  at(revision: bigint): StoredRecord | undefined {
    const index = revision - this.#first;
    return index < 0n || index >= BigInt(this.#records.length)
      ? undefined
      : this.#records[Number(index)];
  }

  /** The first revision whose event was created at or after `ticks`. */
  firstCreatedSince(ticks: bigint): bigint {
    let low = 0;
    let high = this.#records.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const record = this.#records[middle];
      if (record !== undefined && record.created < ticks) low = middle + 1;
      else high = middle;
    }
    return this.#first + BigInt(low);
  }
}
