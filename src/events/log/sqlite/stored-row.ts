/**
 * An event as the embedded log hands it out: its JSON is parsed when somebody looks, so that
 * scanning past events costs little.
 */
import type { StoredEvent } from '../event-log.js';
import { positionOf, type Position } from '../position.js';

/** The columns of an event, in the order {@link eventOf} reads them. */
export const EVENT_COLUMNS =
  'e.position, s.name, e.revision, e.created, e.id, e.type, e.data, e.metadata';

const NOT_PARSED = Symbol('not parsed');

class StoredRow implements StoredEvent {
  #data: unknown = NOT_PARSED;
  #metadata: unknown = NOT_PARSED;

  constructor(
    readonly position: Position,
    readonly stream: string,
    readonly revision: bigint,
    private readonly at: number,
    readonly id: string,
    readonly type: string,
    private readonly dataText: string,
    private readonly metadataText: string,
    readonly bytes: number,
  ) {}

  get data(): unknown {
    if (this.#data === NOT_PARSED) this.#data = parsed(this.dataText);
    return this.#data;
  }

  get metadata(): unknown {
    if (this.#metadata === NOT_PARSED) this.#metadata = parsed(this.metadataText);
    return this.#metadata;
  }

  get created(): Date {
    return new Date(this.at);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An event that was just committed. */
export function committedEvent(
  position: bigint,
  stream: string,
  revision: bigint,
  created: number,
  event: { id: string; type: string; data: string; metadata: string; bytes: number },
): StoredEvent {
  const { id, type, data, metadata, bytes } = event;
  const at = positionOf(position);
  return new StoredRow(at, stream, revision, created, id, type, data, metadata, bytes);
}

/** The event in a row of {@link EVENT_COLUMNS}, undefined when a column is not what it must be. */
export function eventOf(row: unknown): StoredEvent | undefined {
  if (!Array.isArray(row)) return undefined;
  const cells: readonly unknown[] = row;
  const [position, stream, revision, created, id, type, data, metadata] = cells;
  if (typeof position !== 'bigint' || typeof revision !== 'bigint') return undefined;
  if (typeof stream !== 'string' || typeof created !== 'bigint') return undefined;
  if (typeof id !== 'string' || typeof type !== 'string') return undefined;
  if (typeof data !== 'string' || typeof metadata !== 'string') return undefined;
  const bytes = Buffer.byteLength(data) + Buffer.byteLength(metadata) + Buffer.byteLength(type);
  const at = positionOf(position);
  return new StoredRow(at, stream, revision, Number(created), id, type, data, metadata, bytes);
}
