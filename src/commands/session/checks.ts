/** The checks that the session's deciders share, each with its refusal. */
import type { Decision, KnownCommand } from '../runtime/decider.js';
import type { Refusal } from '../refusals.js';
import type { IfMatch } from './session-commands.js';
import type { LiveSession, SessionState, StreamEvent } from './session-state.js';

export type SessionDecision = Decision<StreamEvent, Refusal>;

export function refuse(refusal: Refusal): SessionDecision {
  return { kind: 'refuse', refusal };
}

/** 404, 410 and 503: what is not a live session is refused. */
export function refuseUnlessLive(
  state: Exclude<SessionState, LiveSession>,
): Extract<SessionDecision, { kind: 'refuse' }> {
  return { kind: 'refuse', refusal: notLive(state) };
}

function notLive(state: Exclude<SessionState, LiveSession>): Refusal {
  switch (state.kind) {
    case 'absent':
      return {
        code: 'session_not_found',
        detail: 'There is no such session. Start a turn in it to create it.',
      };
    case 'deleted':
      return {
        code: 'session_deleted',
        detail: 'The session was deleted. Use another session id.',
      };
    case 'unreadable':
      return {
        code: 'session_unreadable',
        detail: `The session's events cannot be read: ${state.reason}. An operator has to repair the stream.`,
      };
  }
}

/** The first receipt where the command was done before, a conflict where its id was used for
 * something else, undefined where it is new. */
export function checkRepeated(
  known: KnownCommand | undefined,
  fingerprint: () => string,
): SessionDecision | undefined {
  if (known === undefined) return undefined;
  if (known.fingerprint === fingerprint()) return { kind: 'done', at: known };
  return refuse({
    code: 'idempotency_conflict',
    detail: 'This key was used in this turn for a command with other content. Use a new key.',
  });
}

/** 412 where the session is not at a revision that the caller allows. */
export function checkIfMatch(
  state: SessionState,
  ifMatch: IfMatch | undefined,
): SessionDecision | undefined {
  if (ifMatch === undefined) return undefined;
  const current = state.kind === 'absent' ? null : state.revision;
  if (current !== null && (ifMatch === '*' || ifMatch.includes(current))) return undefined;
  return refuse({
    code: 'revision_conflict',
    detail:
      current === null
        ? 'If-Match was sent, but the session does not exist.'
        : `The session is at revision ${current.toString()}. Read it again and decide anew.`,
    currentRevision: current,
  });
}

/** 409 where the named turn is not the open one. */
export function checkTurnOpen(state: LiveSession, turnId: string): SessionDecision | undefined {
  const { turn } = state;
  if (turn === null || turn.ended !== null) {
    return refuse({
      code: 'turn_not_open',
      detail: 'No turn is open in this session. Start a turn first.',
    });
  }
  if (turn.id === turnId) return undefined;
  return refuse({
    code: 'turn_mismatch',
    detail: `Turn ${turn.id} is open, not ${turnId}. Only the open turn can be written.`,
    openTurnId: turn.id,
  });
}
