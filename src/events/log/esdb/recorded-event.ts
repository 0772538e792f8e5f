/**
 * An event as the log on EventStoreDB hands it out, straight from the wire: its JSON is parsed
 * when somebody looks, so that scanning past events costs little.
 */
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { StoredEvent } from '../event-log.js';
import type { Position } from '../position.js';

type RecordedMessage = ReadResp.ReadEvent.RecordedEvent;

const NOT_PARSED = Symbol('not parsed');
/** .NET counts in steps of 100 ns. */
const TICKS_PER_MILLISECOND = 10_000n;
const JSON_CONTENT = 'application/json';

class RecordedEvent implements StoredEvent {
  #data: unknown = NOT_PARSED;
  #metadata: unknown = NOT_PARSED;
  readonly #message: RecordedMessage;
  readonly #dataBytes: Uint8Array;
  readonly #metadataBytes: Uint8Array;
  readonly stream: string;
  readonly revision: bigint;
  readonly position: Position;
  readonly id: string;
  readonly type: string;
  readonly bytes: number;

  constructor(message: RecordedMessage) {
    this.#message = message;
    this.#dataBytes = message.getData_asU8();
    this.#metadataBytes = message.getCustomMetadata_asU8();
    this.stream = textOf(message.getStreamIdentifier()?.getStreamName_asU8());
    this.revision = BigInt(message.getStreamRevision());
    this.position = {
      commit: BigInt(message.getCommitPosition()),
      prepare: BigInt(message.getPreparePosition()),
    };
    this.id = message.getId()?.getString() ?? '';
    this.type = message.getMetadataMap().get('type') ?? '';
    this.bytes = this.#dataBytes.length + this.#metadataBytes.length + Buffer.byteLength(this.type);
  }

  get data(): unknown {
    if (this.#data === NOT_PARSED) {
      const json = this.#message.getMetadataMap().get('content-type') === JSON_CONTENT;
      this.#data = json ? parsed(this.#dataBytes) : undefined;
    }
    return this.#data;
  }

  get metadata(): unknown {
    if (this.#metadata === NOT_PARSED) this.#metadata = parsed(this.#metadataBytes);
    return this.#metadata;
  }

  get created(): Date {
    const ticks = this.#message.getMetadataMap().get('created') ?? '';
    return new Date(/^\d+$/.test(ticks) ? Number(BigInt(ticks) / TICKS_PER_MILLISECOND) : 0);
  }

  /** The stored bytes of the data as text; for the few readers that must not round a number. */
  get dataText(): string {
    return textOf(this.#dataBytes);
  }
}

export type { RecordedEvent };

/** The event in a message; undefined where it is gone: a link to a deleted event (eventstoredb.md 3, row 43). */
export function recordedEvent(read: ReadResp.ReadEvent | undefined): RecordedEvent | undefined {
  const message = read?.getEvent();
  return message === undefined ? undefined : new RecordedEvent(message);
}

function textOf(bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return '';
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(textOf(bytes));
  } catch {
    return undefined;
  }
}
