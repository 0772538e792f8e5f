/** The query side of the fleet: pages and totals of a tenant's sessions, and who follows them. */
import type { Position } from '../../events/log/position.js';
import { sessionKey } from '../../events/session-stream.js';
import type { RowCondition, RowGroup } from '../read-model/row-queries.js';
import type { ProjectionTable } from '../runtime/projection-reader.js';
import type { Activity } from '../session-todos/session-todos.view.js';
import { changeOf, itemOf, type OverviewChange, type OverviewItem } from './overview-item.js';
import { tenantOfKey } from './session-overview.projection.js';
import type { OverviewSession, SessionOverviewRow } from './session-overview.row.js';

/** Which sessions to show: those that meet all that is given. */
export interface OverviewFilter {
  readonly state?: OverviewSession['state'] | undefined;
  readonly activity?: Activity | undefined;
  /** Stalled at least so long, milliseconds. */
  readonly stalledForMs?: number | undefined;
}

export interface OverviewPageQuery {
  /** Only sessions after this one, in the order of ids. It need not exist any more. */
  readonly after?: string | undefined;
  /** The most sessions, from 1. */
  readonly limit: number;
}

export interface OverviewPage {
  /** By rising session id. */
  readonly items: readonly OverviewItem[];
  /** Where the next page goes on; null at the end. */
  readonly after: string | null;
}

/** Of all sessions of a tenant, in the order of the contract. */
export interface OverviewTotals {
  readonly sessions: number;
  /** Only those that there are. */
  readonly byActivity: Readonly<Partial<Record<Activity, number>>>;
  readonly pending: number;
  readonly inProgress: number;
  readonly completed: number;
}

/** How often followers look for themselves: a change may come without a commit of this process. */
const LOOK_EVERY_MS = 1_000;
const NOT_DELETED: RowCondition = { column: 'state', is: 'set' };

export class SessionOverview {
  readonly #rows: ProjectionTable<SessionOverviewRow>;
  readonly #now: () => number;
  readonly #followers = new Map<string, Set<() => void>>();
  /** Tenants of the commit at hand: each follower is woken once for it, not for each row. */
  readonly #changed = new Set<string>();
  /** Reads of this turn of the event loop: followers that stand at one place share one. */
  readonly #reads = new Map<string, Promise<readonly OverviewChange[]>>();
  #stopListening: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param now milliseconds since the epoch */
  constructor(rows: ProjectionTable<SessionOverviewRow>, now: () => number = Date.now) {
    this.#rows = rows;
    this.#now = now;
  }

  /**
   * Sessions of a tenant, without the deleted ones, in the order of their ids. That order does
   * not change with what the sessions do: whoever goes from page to page gets each session that
   * is there all the while exactly once.
   */
  async page(
    tenant: string,
    filter: OverviewFilter,
    { after, limit }: OverviewPageQuery,
  ): Promise<OverviewPage> {
    const now = this.#now();
    const entries = await this.#rows.select({
      scope: tenant,
      where: conditionsOf(filter, now),
      after: after === undefined ? undefined : sessionKey({ tenant, sessionId: after }),
      // One more says whether there is a next page.
      limit: limit + 1,
    });
    const items = entries.slice(0, limit).flatMap((entry) => itemOf(entry, now) ?? []);
    const last = entries.length > limit ? items.at(-1) : undefined;
    return { items, after: last?.sessionId ?? null };
  }

  /** Over all sessions of a tenant, whatever filter a page has. */
  async totals(tenant: string): Promise<OverviewTotals> {
    const groups = await this.#rows.totals({
      scope: tenant,
      where: [],
      groupBy: 'activity',
      sum: ['pending', 'in_progress', 'completed'],
    });
    const sum = (of: (group: RowGroup) => number | undefined): number =>
      groups.reduce((total, group) => total + (of(group) ?? 0), 0);
    return {
      sessions: sum(({ rows }) => rows),
      byActivity: Object.fromEntries(groups.map(({ value, rows }) => [value, rows])),
      pending: sum(({ sums }) => sums[0]),
      inProgress: sum(({ sums }) => sums[1]),
      completed: sum(({ sums }) => sums[2]),
    };
  }

  /** The greatest change number there is: every row is as it was left by that change or earlier. */
  lastChange(): Promise<number> {
    return this.#rows.lastChange();
  }

  /** What changed after a change number, each session as it is now, by rising change numbers. */
  changesAfter(tenant: string, change: number, limit: number): Promise<readonly OverviewChange[]> {
    const what = `${tenant} ${change} ${limit}`;
    const shared = this.#reads.get(what);
    if (shared) return shared;
    if (this.#reads.size === 0) {
      setImmediate(() => {
        this.#reads.clear();
      });
    }
    const read = this.#readChanges(tenant, change, limit);
    this.#reads.set(what, read);
    return read;
  }

  async #readChanges(
    tenant: string,
    change: number,
    limit: number,
  ): Promise<readonly OverviewChange[]> {
    const entries = await this.#rows.changesAfter(tenant, change, limit);
    const now = this.#now();
    return entries.map((entry) => changeOf(entry, now));
  }

  /**
   * Waits until the rows show everything up to a position.
   *
   * @param timeoutMs milliseconds
   * @returns false when it was not reached in time
   */
  reached(position: Position, timeoutMs: number): Promise<boolean> {
    return this.#rows.reached(position, timeoutMs);
  }

  /**
   * Calls `wake` when there may be something after the last change that was seen: after each
   * commit that changed a session of the tenant, and every second.
   *
   * @returns ends it; may be called again
   */
  follow(tenant: string, wake: () => void): () => void {
    // The same function given twice is two followers.
    const own = (): void => {
      wake();
    };
    const followers = this.#followers.get(tenant) ?? new Set();
    this.#followers.set(tenant, followers.add(own));
    this.#listen();
    return () => {
      if (!followers.delete(own) || followers.size > 0) return;
      this.#followers.delete(tenant);
      if (this.#followers.size === 0) this.#rest();
    };
  }

  #listen(): void {
    this.#stopListening ??= this.#rows.subscribeAll(({ key }) => {
      const tenant = tenantOfKey(key);
      if (!this.#followers.has(tenant)) return;
      this.#reads.clear();
      if (this.#changed.size === 0) queueMicrotask(this.#wakeChanged);
      this.#changed.add(tenant);
    });
    this.#timer ??= setInterval(() => {
      for (const tenant of this.#followers.keys()) this.#wake(tenant);
    }, LOOK_EVERY_MS).unref();
  }

  #rest(): void {
    this.#stopListening?.();
    this.#stopListening = undefined;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  readonly #wakeChanged = (): void => {
    const tenants = [...this.#changed];
    this.#changed.clear();
    for (const tenant of tenants) this.#wake(tenant);
  };

  #wake(tenant: string): void {
    for (const wake of [...(this.#followers.get(tenant) ?? [])]) wake();
  }
}

function conditionsOf(filter: OverviewFilter, now: number): RowCondition[] {
  const { state, activity, stalledForMs } = filter;
  return [
    state === undefined ? NOT_DELETED : { column: 'state', is: 'equal', value: state },
    ...(activity === undefined ? [] : [equal('activity', activity)]),
    ...(stalledForMs === undefined ? [] : [writtenBy(now - stalledForMs)]),
  ];
}

function equal(column: string, value: string): RowCondition {
  return { column, is: 'equal', value };
}

/** Null where no turn is open, or where it has written nothing: it fits no moment. */
function writtenBy(moment: number): RowCondition {
  return { column: 'written_at', is: 'atMost', value: moment };
}
