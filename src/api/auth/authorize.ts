/** May this caller use this route? Asked after who it is, and before anything else is read. */
import { Problem } from '../problem/problem.js';
import type { DeclaredAccess } from '../request/route-access.js';
import type { Caller } from './caller.js';

/**
 * @param access what the route declares; undefined where it declares nothing
 * @param sessionId the session in the path, as it came; undefined where there is none
 * @returns why not; undefined where it may
 */
export function refusalOf(
  access: DeclaredAccess,
  caller: Caller,
  sessionId: unknown,
): Problem | undefined {
  if (access.scope === 'open') return undefined;
  if (!caller.scopes.has(access.scope)) {
    return new Problem('forbidden', `this needs a token with the scope ${access.scope}`);
  }
  if (caller.session === undefined || access.boundTokens === 'allowed') return undefined;
  if (access.boundTokens === 'own-session' && sessionId === caller.session) return undefined;
  return new Problem(
    'forbidden',
    'this token is bound to one session and reaches nothing else; use one that is not bound',
  );
}
