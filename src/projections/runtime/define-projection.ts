/**
 * A projection is a fold for each key and nothing else: totals are queries over its rows. From
 * this shape the runtime gives order, checkpoints, changes, waiting and parking.
 */
import type { StoredEvent } from '../../events/log/event-log.js';
import type { RowShape } from '../read-model/read-model.js';

export interface Projection<Row> extends RowShape<Row> {
  /** Only events of streams whose name starts with this are folded. */
  readonly prefix: string;
  /** What a key's row is before its first event. */
  readonly initial: Row;
  /** The key whose row an event belongs to; undefined: the event is ignored. */
  readonly key: (event: StoredEvent) => string | undefined;
  /**
   * The row after an event. Pure. The same row (by reference) means that nothing changed; null
   * removes the row. A throw parks the key at this event.
   */
  readonly evolve: (row: Row, event: StoredEvent) => Row | null;
  /**
   * The one stream that holds every event of a key, where there is one: then a parked key is
   * folded again from that stream alone. Without it all streams of the prefix are read.
   */
  readonly stream?: (key: string) => string;
  /**
   * How long events of a busy log gather before they are committed, milliseconds, in place of
   * what the host has chosen: see `RunnerOptions.gatherMs`. What happens to a key meanwhile is
   * one write.
   */
  readonly gatherMs?: number;
  /** True for an event that is folded even where its key is parked, and ends the parking. */
  readonly appliesWhenParked?: (event: StoredEvent) => boolean;
}

/** What was checked here. A copy was not: it may be anything. */
const defined = new WeakSet();

const NAME = /^[a-z][a-z0-9-]{0,62}$/;
const COLUMN = /^[a-z][a-z_]{0,30}$/;

/**
 * Defines a projection. In a Nest application the one that provides what this returns runs it.
 *
 * @returns the very object, from now on recognised by {@link isProjection}
 * @throws {TypeError} the name, the version or a column's name cannot be used
 */
export function defineProjection<Row>(projection: Projection<Row>): Projection<Row> {
  const { name, version, columns = [] } = projection;
  checkName(name);
  if (!Number.isSafeInteger(version) || version < 1) {
    throw new TypeError(`the version of projection ${name} must be a whole number from 1`);
  }
  for (const column of columns) {
    if (!COLUMN.test(column.name)) {
      throw new TypeError(`projection ${name}: ${column.name} is no name for a column`);
    }
  }
  defined.add(projection);
  return projection;
}

/** Is it what {@link defineProjection} returned? */
export function isProjection(value: unknown): value is Projection<unknown> {
  return typeof value === 'object' && value !== null && defined.has(value);
}

/**
 * Names become file and table names.
 *
 * @throws {TypeError}
 */
export function checkName(name: string): void {
  if (!NAME.test(name)) {
    throw new TypeError(`"${name}" is no name for a projection or reaction: use a-z, 0-9 and "-"`);
  }
}
