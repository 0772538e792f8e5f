/** Given a session's events, when they are folded, then: the words of the fold's tests. */
import type { StoredEvent } from '../../../src/events/log/event-log.js';
import { positionOf } from '../../../src/events/log/position.js';
import type { TurnOutcome } from '../../../src/events/session-events.js';
import { sessionStream } from '../../../src/events/session-stream.js';
import type { Todo, TodoStatus } from '../../../src/events/todo.js';
import { sessionTodosProjection } from '../../../src/projections/session-todos/session-todos.projection.js';
import type {
  SessionTodosRow,
  StandingSession,
} from '../../../src/projections/session-todos/session-todos.row.js';
import {
  toView,
  type SessionTodosView,
} from '../../../src/projections/session-todos/session-todos.view.js';

/** What is said of an event: its type and its data. */
export interface Told {
  readonly type: string;
  readonly data: unknown;
}

export const start: Told = { type: 'session/start', data: { origin: { kind: 'new' } } };
export const remove: Told = { type: 'session/delete', data: {} };
export const foreign: Told = { type: 'message/append', data: { text: 'hello' } };

export function turn(turnId: string): Told {
  return { type: 'turn/start', data: { turnId } };
}

export function end(turnId: string, outcome: TurnOutcome): Told {
  return { type: 'turn/end', data: { turnId, outcome } };
}

/** Items such as `I:build`: P, I or C, then the content. */
export function write(turnId: string, ...items: string[]): Told {
  return { type: 'todo/write', data: { turnId, todos: list(...items) } };
}

export function list(...items: string[]): Todo[] {
  const statuses: Record<string, TodoStatus> = { P: 'pending', I: 'in_progress', C: 'completed' };
  return items.map((item) => {
    const status = statuses[item.slice(0, 1)];
    if (!status || item[1] !== ':') throw new TypeError(`not an item: ${item}`);
    return { content: item.slice(2), status };
  });
}

/** The time of the event at a revision: one second for each. */
export function timeOf(revision: number): string {
  return new Date(Date.UTC(2026, 10, 30, 9, 0, revision)).toISOString();
}

/** Stored events of one session, from `first` on. */
export function stored(told: readonly Told[], first = 0, session = 's1'): StoredEvent[] {
  return told.map(({ type, data }, index) => {
    const revision = first + index;
    return {
      stream: sessionStream({ tenant: 'default', sessionId: session }),
      revision: BigInt(revision),
      position: positionOf(BigInt(revision + 1)),
      id: `00000000-0000-4000-8000-${revision.toString().padStart(12, '0')}`,
      type,
      data,
      metadata: {},
      created: new Date(timeOf(revision)),
      bytes: 100,
    };
  });
}

/** Folds event by event, from nothing. */
export function fold(told: readonly Told[], first = 0): SessionTodosRow {
  let row: SessionTodosRow = sessionTodosProjection.initial;
  for (const event of stored(told, first)) {
    const next = sessionTodosProjection.evolve(row, event);
    if (next === null) throw new Error('the fold never removes a row');
    row = next;
  }
  return row;
}

export function standing(told: readonly Told[], first = 0): StandingSession {
  const row = fold(told, first);
  if (row.kind !== 'session') throw new Error('the session is deleted');
  return row;
}

export function view(told: readonly Told[]): SessionTodosView {
  return toView('s1', standing(told), { parked: false, epoch: 0 });
}
