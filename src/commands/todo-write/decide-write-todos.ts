/** WriteTodos, decided: the whole list, last write wins. */
import type { Actor } from '../../events/metadata.js';
import type { Todo } from '../../events/todo.js';
import type { TodoPolicy } from '../policy.js';
import type { KnownCommand } from '../runtime/decider.js';
import {
  checkIfMatch,
  checkRepeated,
  checkTurnOpen,
  refuse,
  refuseUnlessLive,
  type SessionDecision,
} from '../session/checks.js';
import type { IfMatch } from '../session/session-commands.js';
import { writeTodosFingerprint } from '../session/session-fold.js';
import type { LiveSession, SessionState } from '../session/session-state.js';
import { checkPolicy } from './todo-policy-check.js';

export interface WriteTodosIntent {
  /** Whether other content under a known command id is a conflict or a new write. */
  readonly repeats: 'key' | 'call';
  readonly actor: Actor;
  readonly turnId: string;
  /** Parsed: the durable invariants hold. */
  readonly todos: readonly Todo[];
  readonly ifMatch: IfMatch | undefined;
}

/** Checks in the order of the contract: actor, session, repeated id, turn, If-Match, policy. */
export function decideWriteTodos(
  state: SessionState,
  intent: WriteTodosIntent,
  policy: TodoPolicy,
  known: KnownCommand | undefined,
): SessionDecision {
  const { actor, turnId, todos, ifMatch } = intent;
  if (actor.kind !== 'agent') {
    return refuse({
      code: 'actor_not_allowed',
      detail: `Only the session's agent writes its list, not an actor of kind ${actor.kind}.`,
    });
  }
  if (state.kind !== 'live') return refuseUnlessLive(state);
  const refused =
    checkRepeatedWrite(state, intent, known) ??
    checkTurnOpen(state, turnId) ??
    checkIfMatch(state, ifMatch);
  if (refused !== undefined) return refused;
  const broken = checkPolicy(todos, policy);
  if (broken !== undefined) return refuse(broken);
  return { kind: 'append', events: [{ type: 'todo/write', data: { turnId, todos } }] };
}

function checkRepeatedWrite(
  state: LiveSession,
  { repeats, turnId, todos }: WriteTodosIntent,
  known: KnownCommand | undefined,
): SessionDecision | undefined {
  const repeated = checkRepeated(known, () => writeTodosFingerprint(turnId, todos));
  if (repeats === 'key' || repeated === undefined) return repeated;
  // Models reuse call ids: with lists A, B, A under one id the list ends as A.
  return repeated.kind === 'done' && repeated.at.revision === state.writtenAt
    ? repeated
    : undefined;
}
