/**
 * Folds one key's events anew, from the log and from the beginning, by pages. What was folded is
 * gone on with: a long history is read before the projection has to stand still for its end.
 */
import type { EventLog, StoredEvent } from '../../../events/log/event-log.js';
import { comparePositions, LOG_START, type Position } from '../../../events/log/position.js';
import type { RowWrite } from '../../read-model/read-model.js';
import type { Projection } from '../define-projection.js';
import type { DiscardSet } from '../discard-set.js';
import { foldEvent } from '../fold-batch.js';

const PAGE = 500;

export class KeyReread<Row> {
  readonly #log: EventLog;
  readonly #projection: Projection<Row>;
  readonly #discards: DiscardSet;
  #folded: RowWrite<Row>;
  /** The next one of the key's stream, where it has one of its own. */
  #revision = 0n;
  /** Everything up to here is folded. */
  #position: Position = LOG_START;

  /** @param discards what the fold passes over */
  constructor(log: EventLog, projection: Projection<Row>, key: string, discards: DiscardSet) {
    this.#log = log;
    this.#projection = projection;
    this.#discards = discards;
    this.#folded = { key, row: undefined, epoch: 0, parked: undefined };
  }

  /** What the events give so far. Its epoch counts how often they parked the key. */
  get folded(): RowWrite<Row> {
    return this.#folded;
  }

  /**
   * Folds the events up to a position, and none that lies after it.
   *
   * @throws {UnavailableError} the log cannot be read; call it again to go on
   */
  async advanceTo(until: Position): Promise<void> {
    if (comparePositions(until, this.#position) <= 0) return;
    const stream = this.#projection.stream?.(this.#folded.key);
    await (stream === undefined ? this.#followLog(until) : this.#readStream(stream, until));
    this.#position = until;
  }

  async #readStream(stream: string, until: Position): Promise<void> {
    for (;;) {
      const from = this.#revision;
      const page = this.#log.read(stream, { direction: 'forwards', from, limit: PAGE });
      let read = 0;
      for await (const event of page) {
        if (comparePositions(event.position, until) > 0) return;
        this.#fold(event);
        this.#revision = event.revision + 1n;
        read += 1;
      }
      if (read < PAGE) return;
      await othersFirst();
    }
  }

  async #followLog(until: Position): Promise<void> {
    const { prefix } = this.#projection;
    const puller = this.#log.pull({ prefix, after: this.#position, maxEvents: PAGE });
    try {
      for (;;) {
        const batch = await puller.next();
        if (batch === undefined) throw new RereadEndedError('the log ended the pull; try again');
        for (const event of batch.events) {
          if (comparePositions(event.position, until) > 0) return;
          this.#fold(event);
          this.#position = event.position;
        }
        if (batch.caughtUp || comparePositions(batch.checkpoint, until) >= 0) return;
        await othersFirst();
      }
    } finally {
      await puller.close();
    }
  }

  #fold(event: StoredEvent): void {
    const { key } = this.#folded;
    if (this.#discards.has(event) || this.#projection.key(event) !== key) return;
    this.#folded = foldEvent(this.#projection, key, this.#folded, event, 0) ?? this.#folded;
  }
}

/** The log ended the pull before everything was read. Nothing was changed. */
export class RereadEndedError extends Error {
  readonly code = 'reread_ended';
  override readonly name = 'RereadEndedError';
}

/** An embedded log answers at once: requests get their turn between two pages. */
function othersFirst(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
