/** One moment of a session, as the query side hands it on: comparable, and serialised once. */
import type { RowEntry } from '../read-model/read-model.js';
import { INITIAL_ROW, type SessionTodosRow, type StandingSession } from './session-todos.row.js';
import { toView, viewJson, type SessionTodosView } from './session-todos.view.js';

/** What orders two snapshots of a session: the epoch first, then the revision. */
export interface SnapshotVersion {
  readonly revision: bigint;
  readonly epoch: number;
}

export type SessionSnapshot =
  | {
      readonly state: 'present';
      readonly revision: bigint;
      readonly epoch: number;
      readonly parked: boolean;
      readonly view: SessionTodosView;
      /** JSON of the view: made at its first use, and shared by all readers. */
      readonly json: string;
    }
  | { readonly state: 'deleted'; readonly revision: bigint; readonly epoch: number };

/**
 * Compares two snapshots of one session. A higher epoch is never stale, whatever its revision.
 *
 * @returns negative when `a` is older, zero when they are equal, positive when it is newer
 */
export function compareVersions(a: SnapshotVersion, b: SnapshotVersion): number {
  if (a.epoch !== b.epoch) return a.epoch - b.epoch;
  if (a.revision === b.revision) return 0;
  return a.revision < b.revision ? -1 : 1;
}

/** True when `candidate` is to be shown after `shown`: strictly newer, or nothing was shown. */
export function isNewer(candidate: SnapshotVersion, shown: SnapshotVersion | undefined): boolean {
  return shown === undefined || compareVersions(candidate, shown) > 0;
}

/** Entries are shared by all readers, and so are their snapshots. */
const made = new WeakMap<RowEntry<SessionTodosRow>, SessionSnapshot>();

/** The snapshot of a stored entry, always the same one for the same entry. */
export function snapshotOf(sessionId: string, entry: RowEntry<SessionTodosRow>): SessionSnapshot {
  const known = made.get(entry);
  if (known) return known;
  const { row, epoch } = entry;
  const snapshot: SessionSnapshot =
    row?.kind === 'deleted'
      ? { state: 'deleted', revision: BigInt(row.revision), epoch }
      : new PresentSession(sessionId, row ?? beforeFirstRow(entry), entry);
  made.set(entry, snapshot);
  return snapshot;
}

/** A session parked at its very first event has no row: it shows empty, and as parked. */
function beforeFirstRow({ parked }: RowEntry<SessionTodosRow>): StandingSession {
  if (!parked) return INITIAL_ROW;
  return { ...INITIAL_ROW, revision: parked.revision.toString(), updatedAt: parked.at };
}

/** Nobody may ever ask for the view or its JSON: both are made when someone does. */
class PresentSession {
  readonly state = 'present';
  readonly revision: bigint;
  readonly epoch: number;
  readonly parked: boolean;
  readonly #sessionId: string;
  readonly #row: StandingSession;
  #view: SessionTodosView | undefined;
  #json: string | undefined;

  constructor(sessionId: string, row: StandingSession, entry: RowEntry<SessionTodosRow>) {
    this.revision = BigInt(row.revision);
    this.epoch = entry.epoch;
    this.parked = entry.parked !== undefined;
    this.#sessionId = sessionId;
    this.#row = row;
  }

  get view(): SessionTodosView {
    return (this.#view ??= toView(this.#sessionId, this.#row, this));
  }

  get json(): string {
    return (this.#json ??= viewJson(this.#sessionId, this.#row, this));
  }
}
