/** StartTurn and EndTurn, decided. */
import type { TurnOutcome } from '../../events/session-events.js';
import type { KnownCommand } from '../runtime/decider.js';
import {
  checkIfMatch,
  checkRepeated,
  checkTurnOpen,
  refuse,
  refuseUnlessLive,
  type SessionDecision,
} from './checks.js';
import type { IfMatch } from './session-commands.js';
import { endTurnFingerprint, startTurnFingerprint } from './session-fold.js';
import type { SessionState, StreamEvent, TurnState } from './session-state.js';

export interface StartTurnIntent {
  readonly turnId: string;
  readonly supersede: string | true | undefined;
  readonly ifMatch: IfMatch | undefined;
}

/** Accepted when no turn is open, or when the open one is to be superseded. */
export function decideStartTurn(
  state: SessionState,
  intent: StartTurnIntent,
  known: KnownCommand | undefined,
): SessionDecision {
  const { turnId, ifMatch } = intent;
  if (state.kind === 'deleted' || state.kind === 'unreadable') return refuseUnlessLive(state);
  const repeated = checkRepeated(known, () => startTurnFingerprint(turnId));
  if (repeated !== undefined) return repeated;
  const start: StreamEvent = { type: 'turn/start', data: { turnId } };
  if (state.kind === 'absent') {
    const session: StreamEvent = { type: 'session/start', data: { origin: { kind: 'new' } } };
    return checkIfMatch(state, ifMatch) ?? { kind: 'append', events: [session, start] };
  }
  const { turn } = state;
  const conflict = turn === null ? undefined : checkSupersede(turn, intent);
  if (conflict !== undefined) return conflict;
  const stale = checkIfMatch(state, ifMatch);
  if (stale !== undefined) return stale;
  if (turn === null || turn.ended !== null) return { kind: 'append', events: [start] };
  const end: StreamEvent = {
    type: 'turn/end',
    data: { turnId: turn.id, outcome: 'superseded' },
  };
  return { kind: 'append', events: [end, start] };
}

function checkSupersede(
  turn: TurnState,
  { turnId, supersede }: StartTurnIntent,
): SessionDecision | undefined {
  if (turn.ended === null) {
    if (supersede === undefined) {
      return refuse({
        code: 'turn_already_open',
        detail: `Turn ${turn.id} is open. End it, or supersede it by its id.`,
        openTurnId: turn.id,
      });
    }
    if (supersede !== true && supersede !== turn.id) {
      return refuse({
        code: 'turn_mismatch',
        detail: `Turn ${turn.id} is open, not ${supersede}. Supersede the open turn by its id.`,
        openTurnId: turn.id,
      });
    }
  }
  if (turn.id !== turnId) return undefined;
  return refuse({
    code: 'turn_id_reused',
    detail: `Turn id ${turnId} was used before in this session. Use a new one.`,
  });
}

export interface EndTurnIntent {
  readonly turnId: string;
  readonly outcome: Exclude<TurnOutcome, 'superseded'>;
  readonly ifMatch: IfMatch | undefined;
}

/** Accepted when the turn named is open, or is the latest and ended with this outcome. */
export function decideEndTurn(
  state: SessionState,
  { turnId, outcome, ifMatch }: EndTurnIntent,
  known: KnownCommand | undefined,
): SessionDecision {
  if (state.kind !== 'live') return refuseUnlessLive(state);
  const repeated = checkRepeated(known, () => endTurnFingerprint(turnId, outcome));
  if (repeated !== undefined) return repeated;
  const { turn } = state;
  const ended = turn?.ended ?? null;
  if (turn?.id === turnId && ended?.outcome === outcome) return { kind: 'done', at: ended };
  return (
    checkTurnOpen(state, turnId) ??
    checkIfMatch(state, ifMatch) ?? {
      kind: 'append',
      events: [{ type: 'turn/end', data: { turnId, outcome } }],
    }
  );
}
