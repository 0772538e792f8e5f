/** The rows of a fleet in memory, moved by hand: what SessionOverview reads in these tests. */
import type { Position } from '../../../src/events/log/position.js';
import type { Parked, RowEntry } from '../../../src/projections/read-model/read-model.js';
import type {
  RowCondition,
  RowGroup,
  RowQuery,
  TotalsQuery,
} from '../../../src/projections/read-model/row-queries.js';
import type { ProjectionTable } from '../../../src/projections/runtime/projection-reader.js';
import {
  sessionOverviewProjection,
  tenantOfKey,
} from '../../../src/projections/session-overview/session-overview.projection.js';
import {
  INITIAL_OVERVIEW,
  type OverviewSession,
  type SessionOverviewRow,
} from '../../../src/projections/session-overview/session-overview.row.js';

type Entry = RowEntry<SessionOverviewRow>;
type Value = string | number | null | undefined;

export class FakeFleet implements ProjectionTable<SessionOverviewRow> {
  readonly entries = new Map<string, Entry>();
  readonly listeners = new Set<(entry: Entry) => void>();
  /** What `reached` was asked. */
  readonly waits: { position: Position; timeoutMs: number }[] = [];
  /** Thrown by the next reads. */
  failure: Error | undefined;
  /** How often changes were read. */
  reads = 0;
  private change = 0;

  lastChange(): Promise<number> {
    return Promise.resolve(this.change);
  }

  select({ scope, where, after = '', limit }: RowQuery): Promise<Entry[]> {
    const found = this.of(scope).filter((entry) => where.every((one) => fits(entry, one)));
    const sorted = found.sort((a, b) => (a.key < b.key ? -1 : 1));
    return Promise.resolve(sorted.filter(({ key }) => key > after).slice(0, limit));
  }

  changesAfter(scope: string, change: number, limit: number): Promise<Entry[]> {
    this.reads += 1;
    if (this.failure) return Promise.reject(this.failure);
    const found = this.of(scope).filter((entry) => entry.change > change);
    return Promise.resolve(found.sort((a, b) => a.change - b.change).slice(0, limit));
  }

  totals({ scope, groupBy, sum }: TotalsQuery): Promise<RowGroup[]> {
    const groups = new Map<string, RowGroup>();
    for (const entry of this.of(scope)) {
      const value = columnOf(entry, groupBy);
      if (typeof value !== 'string') continue;
      const { rows, sums } = groups.get(value) ?? { rows: 0, sums: sum.map(() => 0) };
      const added = sum.map((name, at) => (sums[at] ?? 0) + Number(columnOf(entry, name)));
      groups.set(value, { value, rows: rows + 1, sums: added });
    }
    return Promise.resolve([...groups.values()]);
  }

  reached(position: Position, timeoutMs: number): Promise<boolean> {
    this.waits.push({ position, timeoutMs });
    return Promise.resolve(true);
  }

  subscribeAll(listener: (entry: Entry) => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /** Commits a session's row, and tells who listens. */
  commit(
    sessionId: string,
    row: Partial<OverviewSession> | 'deleted',
    { tenant = 'default', parked }: { tenant?: string; parked?: Parked } = {},
  ): void {
    this.change += 1;
    const key = `${tenant}.${sessionId}`;
    const { updatedAt } = INITIAL_OVERVIEW;
    const whole: SessionOverviewRow =
      row === 'deleted'
        ? { kind: 'deleted', revision: '9', updatedAt }
        : { ...INITIAL_OVERVIEW, revision: '1', ...row };
    const entry = { key, row: whole, epoch: 0, parked, change: this.change };
    this.entries.set(key, entry);
    for (const listener of this.listeners) listener(entry);
  }

  private of(scope: string): Entry[] {
    return [...this.entries.values()].filter(({ key }) => tenantOfKey(key) === scope);
  }
}

function columnOf({ row }: Entry, name: string): Value {
  const column = sessionOverviewProjection.columns?.find((one) => one.name === name);
  return row === undefined ? null : column?.value(row);
}

function fits(entry: Entry, condition: RowCondition): boolean {
  const value = columnOf(entry, condition.column);
  if (value === null || value === undefined) return false;
  if (condition.is === 'set') return true;
  return condition.is === 'equal' ? value === condition.value : Number(value) <= condition.value;
}
