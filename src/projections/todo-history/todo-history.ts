/** Every list of a session, read from the log itself: what a projection keeps is only the last. */
import type { EventLog, StoredEvent } from '../../events/log/event-log.js';
import { parseMetadata, parseSessionEvent } from '../../events/parse-session-event.js';
import {
  isSessionEventType,
  SESSION_DELETE,
  SESSION_START,
  TODO_WRITE,
  TURN_START,
} from '../../events/session-events.js';
import { sessionStream, type SessionRef } from '../../events/session-stream.js';
import {
  addList,
  addTurnStart,
  EMPTY_DRAFT,
  finishPage,
  type HistoryPage,
  type WrittenList,
} from './history-page.js';

export interface HistoryQuery {
  /** The most items of the page. */
  readonly limit: number;
  /** Only lists of lower revisions. Default: all. */
  readonly before?: bigint | undefined;
  /** Ends the reading early. */
  readonly signal?: AbortSignal | undefined;
}

/** What the log knows of a session's lists. */
export type SessionHistory =
  /** The log holds no event of ours for it. */
  | { readonly state: 'absent' }
  | { readonly state: 'deleted' }
  | { readonly state: 'present'; readonly page: HistoryPage }
  /** The signal ended it. */
  | { readonly state: 'aborted' };

/** Where a session stands, by its last event of ours. */
type Standing =
  | { readonly state: 'absent' | 'deleted' | 'aborted' }
  | { readonly state: 'present'; readonly revision: bigint };

const NO_LIMIT = Number.MAX_SAFE_INTEGER;

export class TodoHistory {
  /** @param log where the streams lie; it is only read */
  constructor(private readonly log: Pick<EventLog, 'read'>) {}

  /**
   * A page of the session's lists, newest first.
   *
   * 1. Read backwards to the last event of ours: it says whether there is a session.
   * 2. Read on backwards from there, or from `before`, one event at a time. Lists go into the
   *    page; other types and lists that cannot be read are passed over.
   * 3. Stop when the list behind the last item was seen, so that its change is known too.
   *
   * @throws {UnavailableError} the log cannot be read
   */
  async page(session: SessionRef, query: HistoryQuery): Promise<SessionHistory> {
    const stream = sessionStream(session);
    const { limit, before, signal } = query;
    const standing = await this.#standing(stream, signal);
    if (standing.state !== 'present') return standing;

    const last = standing.revision;
    const from = before === undefined || before > last ? last : before - 1n;
    let draft = EMPTY_DRAFT;
    let reached = from + 1n;
    for await (const event of this.#backwards(stream, from)) {
      if (signal?.aborted === true) return { state: 'aborted' };
      reached = event.revision;
      // A late event does not bring a deleted session back.
      if (event.type === SESSION_DELETE) return { state: 'deleted' };
      // By type alone: an unreadable start still ends what came before it.
      if (event.type === TURN_START || event.type === SESSION_START) draft = addTurnStart(draft);
      const list = event.type === TODO_WRITE ? writtenList(event) : undefined;
      if (list !== undefined) draft = addList(draft, list, limit);
      if (draft.full) break;
    }
    if (!draft.full && reached > 0n) {
      // The stream has lost its beginning. It may have been deleted while it was read, and then
      // the page would end where a turn does not.
      const now = await this.#standing(stream, signal);
      if (now.state !== 'present') return now;
    }
    return { state: 'present', page: finishPage(draft) };
  }

  async #standing(stream: string, signal: AbortSignal | undefined): Promise<Standing> {
    for await (const { type, revision } of this.#backwards(stream)) {
      if (signal?.aborted === true) return { state: 'aborted' };
      if (type === SESSION_DELETE) return { state: 'deleted' };
      if (isSessionEventType(type)) return { state: 'present', revision };
    }
    return { state: 'absent' };
  }

  /** Lazy: the log reads by pages of its own, and no event is kept here. */
  async *#backwards(stream: string, from?: bigint): AsyncGenerator<StoredEvent, void, undefined> {
    if (from !== undefined && from < 0n) return;
    const options = { direction: 'backwards', limit: NO_LIMIT } as const;
    yield* this.log.read(stream, from === undefined ? options : { ...options, from });
  }
}

/** Undefined where it cannot be read: it counts as one of the session's problems. */
function writtenList(stored: StoredEvent): WrittenList | undefined {
  const parsed = parseSessionEvent(stored);
  if (parsed.kind !== 'event' || parsed.event.type !== TODO_WRITE) return undefined;
  const { turnId, todos } = parsed.event.data;
  const actor = parseMetadata(stored)?.actor ?? null;
  return { revision: stored.revision, turnId, at: stored.created.toISOString(), actor, todos };
}
