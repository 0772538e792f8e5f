/** Folds a batch of any size in memory: each row is loaded once and written once. */
import type { StoredEvent } from '../../events/log/event-log.js';
import type { RowEntry, RowWrite } from '../read-model/read-model.js';
import type { Projection } from './define-projection.js';

/** What a batch changes. */
export interface FoldedBatch<Row> {
  /** One for each key that changed. */
  readonly writes: RowWrite<Row>[];
  /** For followed keys only: every state the key went through, the one to be stored last. */
  readonly steps: Map<string, RowWrite<Row>[]>;
}

/**
 * @param keys the key of each event, at the same index; undefined where it is ignored
 * @param stored the entries of those keys that have one
 * @param followed whether anyone wants the states in between
 * @param firstEpoch the epoch of a row that is first made here
 */
export function foldBatch<Row>(
  projection: Projection<Row>,
  events: readonly StoredEvent[],
  keys: readonly (string | undefined)[],
  stored: ReadonlyMap<string, RowEntry<Row>>,
  followed: (key: string) => boolean,
  firstEpoch = 0,
): FoldedBatch<Row> {
  const changed = new Map<string, RowWrite<Row>>();
  const steps = new Map<string, RowWrite<Row>[]>();
  events.forEach((event, index) => {
    const key = keys[index];
    if (key === undefined) return;
    const before = changed.get(key) ?? stored.get(key);
    const after = foldEvent(projection, key, before, event, firstEpoch);
    if (after === undefined) return;
    changed.set(key, after);
    if (!followed(key)) return;
    const known = steps.get(key);
    if (known) known.push(after);
    else steps.set(key, [after]);
  });
  return { writes: [...changed.values()], steps };
}

/** The key's entry after an event; undefined where the event changes nothing. */
export function foldEvent<Row>(
  projection: Projection<Row>,
  key: string,
  before: RowWrite<Row> | undefined,
  event: StoredEvent,
  firstEpoch: number,
): RowWrite<Row> | undefined {
  const parked = before?.parked !== undefined;
  // Once parked, nothing later may be applied first (faults.md C 10).
  if (parked && projection.appliesWhenParked?.(event) !== true) return undefined;
  const row = before?.row ?? projection.initial;
  const epoch = before?.epoch ?? firstEpoch;
  try {
    const evolved = projection.evolve(row, event);
    if (evolved === row && !parked) return undefined;
    return { key, row: evolved ?? undefined, epoch, parked: undefined };
  } catch (error) {
    if (parked) return undefined;
    const { stream, revision } = event;
    const at = event.created.toISOString();
    const reason = error instanceof Error ? error.message : String(error);
    // What readers saw at this revision may not be what a repair shows: a new epoch.
    return { key, row: before?.row, epoch: epoch + 1, parked: { stream, revision, reason, at } };
  }
}
