/** The row that `session-todos` keeps for a session: what the fold knows, as JSON. */
import { z } from 'zod';
import { TURN_OUTCOMES } from '../../events/session-events.js';
import { TODO_STATUSES } from '../../events/todo.js';
import { listJson } from './list-json.js';

const revision = z.string().regex(/^-?[0-9]{1,20}$/);
const todos = z.array(z.object({ content: z.string(), status: z.enum(TODO_STATUSES) })).readonly();
const outcome = z.enum(TURN_OUTCOMES).nullable();

const session = z.object({
  kind: z.literal('session'),
  state: z.enum(['never-written', 'current', 'cleared']),
  todos,
  /** The `todo/write` that the list came with, while it stands. */
  written: z.object({ turnId: z.string(), revision }).readonly().nullable(),
  /** The latest turn. */
  turn: z
    .object({ id: z.string(), state: z.enum(['open', 'ended']), outcome })
    .readonly()
    .nullable(),
  /** The last list, not empty, that a turn cleared. */
  previous: z.object({ todos, turnId: z.string(), outcome, revision }).readonly().nullable(),
  /** How many `todo/write` events could not be read and were skipped. */
  problems: z.int().nonnegative(),
  /** Of the last event that was applied, or skipped as a problem. */
  revision,
  /** That event's time, ISO 8601. */
  updatedAt: z.string(),
});

/** What is left of a deleted session: no text. */
const tombstone = z.object({ kind: z.literal('deleted'), revision, updatedAt: z.string() });

export const sessionTodosRow = z.union([session.readonly(), tombstone.readonly()]);

export type SessionTodosRow = z.infer<typeof sessionTodosRow>;
export type StandingSession = Extract<SessionTodosRow, { kind: 'session' }>;

/** A session before its first event. */
export const INITIAL_ROW: StandingSession = Object.freeze({
  kind: 'session',
  state: 'never-written',
  todos: [],
  written: null,
  turn: null,
  previous: null,
  problems: 0,
  revision: '-1',
  updatedAt: new Date(0).toISOString(),
});

/** A row as JSON. Its lists, nearly all of it, are not written out anew. */
export function rowJson(row: SessionTodosRow): string {
  if (row.kind === 'deleted') return JSON.stringify(row);
  const { kind, state, todos, written, turn, previous, problems, revision, updatedAt } = row;
  const rest = JSON.stringify({ kind, state, written, turn, problems, revision, updatedAt });
  const lists = `"todos":${listJson(todos)},"previous":${previousJson(previous)}`;
  return `${rest.slice(0, -1)},${lists}}`;
}

const previousTexts = new WeakMap<object, string>();

/** The previous list as JSON, in a row and in a view: written out once, as a list is. */
export function previousJson(previous: StandingSession['previous']): string {
  if (previous === null) return 'null';
  const known = previousTexts.get(previous);
  if (known !== undefined) return known;
  const { todos, turnId, outcome, revision: writtenAt } = previous;
  const rest = JSON.stringify({ turnId, outcome, revision: writtenAt });
  const text = `{"todos":${listJson(todos)},${rest.slice(1)}`;
  previousTexts.set(previous, text);
  return text;
}
