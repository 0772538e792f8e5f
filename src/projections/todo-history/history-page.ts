/**
 * A page of a session's lists, built from newest to oldest. Pure: what is read goes in one by
 * one, and no more is kept than the page and one list behind it.
 */
import type { Todo } from '../../events/todo.js';
import { changeBetween, type TodoChange } from './todo-change.js';

/** Who wrote a list, as stored. */
export interface HistoryActor {
  /** Any string: a newer writer may know more kinds. */
  readonly kind: string;
  readonly subject: string;
}

/** A list as the log holds it. */
export interface WrittenList {
  readonly revision: bigint;
  readonly turnId: string;
  /** When it was stored, ISO 8601. */
  readonly at: string;
  /** Null where the event does not say. */
  readonly actor: HistoryActor | null;
  readonly todos: readonly Todo[];
}

/** A list with what it changed. Ready for JSON, fields in the order of the contract. */
export interface HistoryItem {
  readonly revision: string;
  readonly turnId: string;
  readonly at: string;
  readonly actor: HistoryActor | null;
  readonly todos: readonly Todo[];
  /** Against the list before it in the same turn; the first of a turn against the empty list. */
  readonly change: TodoChange;
}

/** Newest first. */
export interface HistoryPage {
  readonly items: readonly HistoryItem[];
  /** Where the next page goes on: its items have lower revisions. Null at the end. */
  readonly before: string | null;
}

/** A page ends early at this size of its JSON, in bytes of UTF-8. One item always comes. */
export const MAX_PAGE_BYTES = 1024 * 1024;

/** JSON of a page that has no items, with the longest `before` there can be. */
const EMPTY_PAGE_BYTES = JSON.stringify({ items: [], before: '9223372036854775807' }).length;

/** A page that is being built. */
export interface PageDraft {
  readonly items: readonly HistoryItem[];
  /** Size of the page as JSON, at most. */
  readonly bytes: number;
  /** The oldest list so far, while the one before it was not seen. */
  readonly waiting: WrittenList | null;
  /** There is an older list, and no place for it: nothing more is taken. */
  readonly full: boolean;
}

export const EMPTY_DRAFT: PageDraft = {
  items: [],
  bytes: EMPTY_PAGE_BYTES,
  waiting: null,
  full: false,
};

/** The next older list was read. */
export function addList(draft: PageDraft, list: WrittenList, limit: number): PageDraft {
  if (draft.full) return draft;
  const sameTurn = draft.waiting?.turnId === list.turnId;
  const settled = settle(draft, sameTurn ? list.todos : []);
  if (settled.full) return settled;
  if (settled.items.length >= limit) return { ...settled, full: true };
  return { ...settled, waiting: list };
}

/** A turn began here: nothing older belongs to the turn of what was read so far. */
export function addTurnStart(draft: PageDraft): PageDraft {
  return settle(draft, []);
}

/** The page, when it is full or nothing older is left. */
export function finishPage(draft: PageDraft): HistoryPage {
  const { items, full } = settle(draft, []);
  return { items, before: full ? (items.at(-1)?.revision ?? null) : null };
}

/** The waiting list becomes an item, now that the list before it is known. */
function settle(draft: PageDraft, previous: readonly Todo[]): PageDraft {
  const { items, waiting } = draft;
  if (waiting === null) return draft;
  const item = toItem(waiting, previous);
  const comma = items.length === 0 ? 0 : 1;
  const bytes = draft.bytes + comma + Buffer.byteLength(JSON.stringify(item));
  if (items.length > 0 && bytes > MAX_PAGE_BYTES) return { ...draft, waiting: null, full: true };
  return { ...draft, items: [...items, item], bytes, waiting: null };
}

function toItem(list: WrittenList, previous: readonly Todo[]): HistoryItem {
  const { revision, turnId, at, actor, todos } = list;
  return {
    revision: revision.toString(),
    turnId,
    at,
    actor: actor && { kind: actor.kind, subject: actor.subject },
    todos: todos.map(({ content, status }) => ({ content, status })),
    change: changeBetween(previous, todos),
  };
}
