/** ForkSession and DeleteSession, decided. */
import type { KnownCommand } from '../runtime/decider.js';
import { SESSION_DELETE } from '../../events/session-events.js';
import {
  checkIfMatch,
  checkRepeated,
  refuse,
  refuseUnlessLive,
  type SessionDecision,
} from './checks.js';
import type { IfMatch } from './session-commands.js';
import { forkFingerprint } from './session-fold.js';
import type { SessionState } from './session-state.js';

export interface ForkIntent {
  /** The session the fork comes from, as it was read for this command. */
  readonly source: SessionState;
  readonly sourceId: string;
  readonly ifMatch: IfMatch | undefined;
}

/**
 * Accepted when the source exists and the new id was never used.
 *
 * @param child the child's first event, folded: it holds the command id, so a retry is known
 * however far the child has gone on
 */
export function decideFork(
  child: SessionState,
  { source, sourceId, ifMatch }: ForkIntent,
  known: KnownCommand | undefined,
): SessionDecision {
  if (source.kind !== 'live') return refuseUnlessLive(source);
  if (child.kind !== 'absent') {
    if (known?.fingerprint === forkFingerprint(sourceId)) return { kind: 'done', at: known };
    return refuse(
      known === undefined
        ? { code: 'session_exists', detail: 'The new session id was used before. Use another.' }
        : {
            code: 'idempotency_conflict',
            detail: 'This key was used to create that session in another way. Use a new key.',
          },
    );
  }
  return (
    checkIfMatch(source, ifMatch) ?? {
      kind: 'append',
      events: [{ type: 'session/start', data: { origin: { kind: 'fork', sessionId: sourceId } } }],
    }
  );
}

export interface DeleteIntent {
  readonly ifMatch?: IfMatch | undefined;
}

/**
 * Accepted when the session exists; again gives the same receipt. An unreadable session can
 * be deleted: that guesses nothing about what it held.
 */
export function decideDelete(
  state: SessionState,
  { ifMatch }: DeleteIntent,
  known: KnownCommand | undefined,
): SessionDecision {
  if (state.kind === 'absent') return refuseUnlessLive(state);
  if (state.kind === 'deleted') return { kind: 'done', at: state };
  return (
    checkRepeated(known, () => SESSION_DELETE) ??
    checkIfMatch(state, ifMatch) ?? {
      kind: 'append',
      events: [{ type: SESSION_DELETE, data: {} }],
    }
  );
}
