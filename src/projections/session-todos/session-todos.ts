/** The query side of the checklist: what controllers, query handlers and modules read from. */
import { Observable } from 'rxjs';
import type { Position } from '../../events/log/position.js';
import { sessionKey, type SessionRef } from '../../events/session-stream.js';
import type { RowEntry } from '../read-model/read-model.js';
import type { ProjectionReader } from '../runtime/projection-reader.js';
import { isNewer, snapshotOf, type SessionSnapshot } from './session-snapshot.js';
import type { SessionTodosRow } from './session-todos.row.js';
import type { SessionTodosView } from './session-todos.view.js';

export class SessionTodos {
  readonly #rows: ProjectionReader<SessionTodosRow>;

  constructor(rows: ProjectionReader<SessionTodosRow>) {
    this.#rows = rows;
  }

  /** Every view shows what lies up to here; undefined before the log was reached. */
  get position(): Position | undefined {
    return this.#rows.position;
  }

  /**
   * The session as last committed; undefined where the read model does not know it.
   *
   * @throws {ProjectionRefusedError} the read model is damaged, or not of this log
   */
  async snapshot(session: SessionRef): Promise<SessionSnapshot | undefined> {
    const entry = await this.#rows.get(sessionKey(session));
    return entry && isKnown(entry) ? snapshotOf(session.sessionId, entry) : undefined;
  }

  /**
   * Waits until the read model has reached a position, such as a receipt's.
   *
   * @param timeoutMs milliseconds; 0 asks without waiting
   * @param signal ends the wait early
   * @returns false when it was not reached in time, or the projection stopped
   * @throws {ProjectionRefusedError} as {@link snapshot}
   */
  reached(position: Position, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    return this.#rows.reached(position, timeoutMs, signal);
  }

  /**
   * Hands on every change committed after the call, in order: one for each event, revisions
   * rising. The session may not exist yet. To show the current one first, subscribe, then take
   * {@link snapshot}, then drop what is not {@link isNewer}.
   *
   * @param refused called once when {@link snapshot} begins to refuse
   * @returns ends the subscription; may be called again
   */
  subscribe(
    session: SessionRef,
    listener: (snapshot: SessionSnapshot) => void,
    refused?: () => void,
  ): () => void {
    const tell = (entry: RowEntry<SessionTodosRow>): void => {
      if (isKnown(entry)) listener(snapshotOf(session.sessionId, entry));
    };
    return this.#rows.subscribe(sessionKey(session), tell, refused);
  }

  /**
   * The session's view: the current one first, if there is one, then each change. It completes
   * when the session is deleted, at once where it already is, and fails with
   * {@link ProjectionRefusedError} when the read model may not be served any more.
   */
  changes(session: SessionRef): Observable<SessionTodosView> {
    return new Observable((subscriber) => {
      let shown: SessionSnapshot | undefined;
      // Changes that commit while the current one is being read wait for it.
      let early: SessionSnapshot[] | undefined = [];
      const show = (snapshot: SessionSnapshot): void => {
        if (!isNewer(snapshot, shown)) return;
        shown = snapshot;
        if (snapshot.state === 'deleted') subscriber.complete();
        else subscriber.next(snapshot.view);
      };
      const read = (): Promise<SessionSnapshot | undefined> => this.snapshot(session);
      const fail = (error: unknown): void => {
        subscriber.error(error);
      };
      subscriber.add(
        this.subscribe(
          session,
          (snapshot) => {
            if (early) early.push(snapshot);
            else show(snapshot);
          },
          // A read says why.
          () => void read().catch(fail),
        ),
      );
      read().then((current) => {
        const waiting = early ?? [];
        early = undefined;
        if (current) show(current);
        waiting.forEach(show);
      }, fail);
    });
  }
}

/** False where all that was ever folded has been discarded: as if there had been nothing. */
function isKnown({ row, parked }: RowEntry<SessionTodosRow>): boolean {
  return row !== undefined || parked !== undefined;
}
