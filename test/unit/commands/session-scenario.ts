/** given / when / then for the session's deciders: events in, a decision out. */
import type { SessionEvent } from '../../../src/events/session-events.js';
import { positionOf } from '../../../src/events/log/position.js';
import type { StoredEvent } from '../../../src/events/log/event-log.js';
import type { Todo } from '../../../src/events/todo.js';
import type { RefusalCode } from '../../../src/commands/refusals.js';
import { LoadedStream } from '../../../src/commands/runtime/loaded-stream.js';
import type { SessionDecision } from '../../../src/commands/session/checks.js';
import { sessionFold } from '../../../src/commands/session/session-fold.js';
import type { Decide } from '../../../src/commands/session/session-transactions.js';

/** An event, and the command that caused it. */
export type Given = SessionEvent & { by?: string };

export const start = (turnId: string, by?: string): Given =>
  with_(by, {
    type: 'turn/start',
    data: { turnId },
  });
export const born = (by?: string): Given =>
  with_(by, { type: 'session/start', data: { origin: { kind: 'new' } } });
export const forkedFrom = (sessionId: string, by?: string): Given =>
  with_(by, { type: 'session/start', data: { origin: { kind: 'fork', sessionId } } });
export const wrote = (turnId: string, todos: Todo[], by?: string): Given =>
  with_(by, { type: 'todo/write', data: { turnId, todos } });
export const ended = (
  turnId: string,
  outcome: 'completed' | 'aborted' | 'failed' | 'superseded' = 'completed',
  by?: string,
): Given => with_(by, { type: 'turn/end', data: { turnId, outcome } });
export const deleted = (by?: string): Given => with_(by, { type: 'session/delete', data: {} });

export const item = (content: string, status: Todo['status'] = 'pending'): Todo => ({
  content,
  status,
});

function with_(by: string | undefined, event: SessionEvent): Given {
  return by === undefined ? event : { ...event, by };
}

/** An event as a log would return it. */
export function stored(
  event: { type: string; data: unknown; by?: string },
  revision: number,
): StoredEvent {
  return {
    stream: 'agentSession-default.s1',
    revision: BigInt(revision),
    position: positionOf(BigInt(revision + 100)),
    id: `00000000-0000-4000-8000-${String(revision).padStart(12, '0')}`,
    type: event.type,
    data: event.data,
    metadata: {
      $correlationId: 'default.s1',
      $causationId: event.by ?? `c${revision}`,
      schemaVersion: 1,
      actor: { kind: 'agent', subject: 'local' },
    },
    created: new Date(0),
    bytes: 100,
  };
}

/** A session in which these events happened, the first at revision 0. */
export function given(...events: readonly (Given | { type: string; data: unknown })[]) {
  const loaded = new LoadedStream(sessionFold, sessionFold.initial);
  events.forEach((event, revision) => {
    loaded.add(stored(event, revision));
  });
  return {
    state: loaded.state,
    /** @param by the command id that the decision is about */
    when(decide: Decide, by = 'new') {
      const at = events.findLastIndex((event) => 'by' in event && event.by === by);
      const event = events[at];
      const recorded = event && sessionFold.parse(stored(event, at));
      const known = recorded && {
        ...stored(event, at),
        fingerprint: sessionFold.fingerprint(recorded),
      };
      return new Then(decide(loaded.state, known));
    },
  };
}

class Then {
  constructor(readonly decision: SessionDecision) {}

  appends(...events: SessionEvent[]): void {
    expect(this.decision).toEqual({ kind: 'append', events });
  }

  /** Accepted with the receipt of the event at this revision; nothing is appended. */
  repeats(revision: number): void {
    expect(this.decision).toMatchObject({ kind: 'done', at: { revision: BigInt(revision) } });
  }

  refuses(code: RefusalCode, more: Record<string, unknown> = {}): void {
    expect(this.decision).toMatchObject({ kind: 'refuse', refusal: { code, ...more } });
  }
}
