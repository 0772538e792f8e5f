/**
 * Checks and serialises events before any store's client sees them: a bigint handed to
 * db-client hangs the append for ever (faults.md A1), so it must never get there.
 */
import { InvalidEventError, TooLargeError } from './errors.js';
import { MAX_APPEND_BYTES, type NewEvent } from './event-log.js';

/** A lone surrogate has no UTF-8, and a NUL ends a name in some stores: two names could become
 * one. */
const UNSTORABLE = /\p{Surrogate}|\0/u;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** An event as text, ready to be stored. */
export interface EncodedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
  /** Data, metadata and type, in bytes of UTF-8. */
  readonly bytes: number;
}

/**
 * Serialises the events of one append.
 *
 * @throws {InvalidEventError} no events, a bad id, an empty type, or data that is not JSON
 * @throws {TooLargeError} together they exceed {@link MAX_APPEND_BYTES}
 */
export function encodeEvents(events: readonly NewEvent[]): EncodedEvent[] {
  if (events.length === 0) throw new InvalidEventError('an append needs at least one event');
  const encoded = events.map(encodeEvent);
  if (encoded.length > 1 && new Set(encoded.map((event) => event.id)).size !== encoded.length) {
    throw new InvalidEventError('the events of one append need different ids');
  }
  let bytes = 0;
  for (const event of encoded) bytes += event.bytes;
  if (bytes > MAX_APPEND_BYTES) throw new TooLargeError(bytes, MAX_APPEND_BYTES);
  return encoded;
}

/**
 * Checks the name of a stream that is written to.
 *
 * @throws {InvalidEventError} it is empty, or not every store can keep it apart from others
 */
export function checkStreamName(stream: string): void {
  if (stream === '' || UNSTORABLE.test(stream)) {
    throw new InvalidEventError(`${JSON.stringify(stream)} cannot be the name of a stream`);
  }
}

function encodeEvent({ id, type, data, metadata }: NewEvent): EncodedEvent {
  if (!UUID.test(id)) throw new InvalidEventError(`event id ${id} is not a lower-case UUID`);
  if (type === '' || UNSTORABLE.test(type)) {
    throw new InvalidEventError(`${JSON.stringify(type)} cannot be the type of an event`);
  }
  const dataText = toJson(data, `data of ${type}`);
  const metadataText = toJson(metadata, `metadata of ${type}`);
  const bytes =
    Buffer.byteLength(dataText) + Buffer.byteLength(metadataText) + Buffer.byteLength(type);
  return { id, type, data: dataText, metadata: metadataText, bytes };
}

/** Its declared type leaves out undefined, which it does return. */
const stringify: (value: unknown) => string | undefined = JSON.stringify;

function toJson(value: unknown, what: string): string {
  let text: string | undefined;
  try {
    text = stringify(value);
  } catch (error) {
    throw new InvalidEventError(`the ${what} is not JSON`, { cause: error });
  }
  if (text?.startsWith('{') !== true) throw new InvalidEventError(`the ${what} is not an object`);
  return text;
}
