/**
 * What the stand-in stores: events as they came over the wire, with the place they were given.
 */
import { randomUUID } from 'node:crypto';

/** An event that a client asks to store. */
export interface ProposedEvent {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

/** An event in the log. */
export interface StoredRecord extends ProposedEvent {
  readonly stream: string;
  readonly revision: bigint;
  /** A byte offset, as on the real server: both its commit and its prepare position. */
  readonly position: bigint;
  /** .NET ticks since the Unix epoch. */
  readonly created: bigint;
  /** Its message to readers, once one has asked: all get the same bytes. */
  encoded: Buffer | undefined;
}

/** The revision of the event that a tombstone writes. */
export const TOMBSTONE_REVISION = 9_223_372_036_854_775_807n;

/** A stream's `$tb` that says: softly deleted. */
export const SOFT_DELETED = 9_223_372_036_854_775_807n;

export const TICKS_PER_MILLISECOND = 10_000n;

/** What a record takes in the log beside its texts and bytes: it makes positions have gaps. */
const RECORD_OVERHEAD = 98;

export function recordLength(stream: string, event: ProposedEvent): bigint {
  return BigInt(
    RECORD_OVERHEAD +
      Buffer.byteLength(stream) +
      Buffer.byteLength(event.type) +
      event.data.length +
      event.metadata.length,
  );
}

/** As the server's MaxAppendSize counts since 24.10.4: data, metadata, and types in UTF-16. */
export function appendSize(event: ProposedEvent): number {
  return event.data.length + event.metadata.length + 2 * event.type.length;
}

/** An event that the server writes of its own accord. */
export function systemEvent(type: string, data: string | Uint8Array): ProposedEvent {
  return {
    id: randomUUID(),
    type,
    contentType: 'application/json',
    data: typeof data === 'string' ? Buffer.from(data) : data,
    metadata: new Uint8Array(),
  };
}
