/** A session as the overview shows it (design, section 4, "An overview row"). */
import type { TodoCounts } from '../../events/todo.js';
import type { RowEntry } from '../read-model/read-model.js';
import { activityOf, type Activity, type TurnView } from '../session-todos/session-todos.view.js';
import {
  INITIAL_OVERVIEW,
  type OverviewSession,
  type SessionOverviewRow,
} from './session-overview.row.js';

export interface OverviewItem {
  readonly sessionId: string;
  readonly state: OverviewSession['state'];
  readonly counts: TodoCounts;
  /** Contents in progress, in the order of the list. */
  readonly active: readonly string[];
  /** Null before the first turn. */
  readonly turn: TurnView | null;
  readonly activity: Activity;
  /** Since the latest `todo/write` of the open turn, milliseconds; null where there is none. */
  readonly stalledForMs: number | null;
  readonly revision: string;
  /** ISO 8601. */
  readonly updatedAt: string;
  /** Only where it is so: an event could not be folded, and this is how it was before. */
  readonly parked?: true | undefined;
}

/** What a follower is told of a session. */
export type OverviewChange =
  | { readonly kind: 'session'; readonly change: number; readonly item: OverviewItem }
  | { readonly kind: 'deleted'; readonly change: number; readonly sessionId: string };

/**
 * The item of a stored entry; undefined for a session that was deleted.
 *
 * @param now milliseconds since the epoch
 */
export function itemOf(entry: RowEntry<SessionOverviewRow>, now: number): OverviewItem | undefined {
  const session = sessionOf(entry);
  if (session === undefined) return undefined;
  const { state, counts, active, turn, writtenAt, revision, updatedAt } = session;
  return {
    sessionId: sessionIdOf(entry.key),
    state,
    counts,
    active,
    turn,
    activity: activityOf(counts, turn),
    // A log's clock may be ahead of ours.
    stalledForMs: writtenAt === null ? null : Math.max(0, now - writtenAt),
    revision,
    updatedAt: new Date(updatedAt).toISOString(),
    ...(entry.parked && { parked: true }),
  };
}

/** @param now milliseconds since the epoch */
export function changeOf(entry: RowEntry<SessionOverviewRow>, now: number): OverviewChange {
  const { change } = entry;
  const item = itemOf(entry, now);
  return item === undefined
    ? { kind: 'deleted', change, sessionId: sessionIdOf(entry.key) }
    : { kind: 'session', change, item };
}

/** The id in a session's key. */
function sessionIdOf(key: string): string {
  return key.slice(key.indexOf('.') + 1);
}

/** A session parked at its very first event has no row: it shows empty, and as parked. */
function sessionOf(entry: RowEntry<SessionOverviewRow>): OverviewSession | undefined {
  const { row, parked } = entry;
  if (row?.kind === 'session') return row;
  if (row !== undefined || parked === undefined) return undefined;
  return {
    ...INITIAL_OVERVIEW,
    revision: parked.revision.toString(),
    updatedAt: Date.parse(parked.at),
  };
}
