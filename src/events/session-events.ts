/**
 * The events of a session's stream, as they are stored (design, section 1). Parsed by shape
 * only: rules about text apply when a write is decided, so that a newer Unicode table never
 * makes an old event bad. Unknown fields are dropped, not refused: a newer writer may add some.
 */
import { z } from 'zod';
import { TODO_STATUSES, type Todo } from './todo.js';

/** How a turn can close. `superseded` is written by the StartTurn that replaces it. */
export const TURN_OUTCOMES = ['completed', 'aborted', 'failed', 'superseded'] as const;
export type TurnOutcome = (typeof TURN_OUTCOMES)[number];

export const SESSION_START = 'session/start';
export const TURN_START = 'turn/start';
export const TODO_WRITE = 'todo/write';
export const TURN_END = 'turn/end';
export const SESSION_DELETE = 'session/delete';

const sessionStartData = z.object({
  origin: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('new') }),
    z.object({ kind: z.literal('fork'), sessionId: z.string() }),
  ]),
});
const turnStartData = z.object({ turnId: z.string() });
const todoWriteData = z.object({
  turnId: z.string(),
  todos: z.array(z.object({ content: z.string(), status: z.enum(TODO_STATUSES) })),
});
const turnEndData = z.object({ turnId: z.string(), outcome: z.enum(TURN_OUTCOMES) });
const sessionDeleteData = z.object({});

/** Schema of each type's data. */
export const sessionEventData = {
  [SESSION_START]: sessionStartData,
  [TURN_START]: turnStartData,
  [TODO_WRITE]: todoWriteData,
  [TURN_END]: turnEndData,
  [SESSION_DELETE]: sessionDeleteData,
} as const;

export type SessionEventType = keyof typeof sessionEventData;

type DataOf<T extends SessionEventType> = T extends typeof TODO_WRITE
  ? { readonly turnId: string; readonly todos: readonly Todo[] }
  : z.infer<(typeof sessionEventData)[T]>;

export type SessionOrigin = DataOf<typeof SESSION_START>['origin'];

/** An event of a session's stream: its type and its data. */
export type SessionEvent = {
  [T in SessionEventType]: { readonly type: T; readonly data: DataOf<T> };
}[SessionEventType];

export function isSessionEventType(type: string): type is SessionEventType {
  return Object.hasOwn(sessionEventData, type);
}
