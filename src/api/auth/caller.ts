/** Who a token speaks for, and how its claims say so. */
import { z } from 'zod';
import { ACTOR_KINDS } from '../../events/metadata.js';
import { ID_PATTERN, TENANT_PATTERN } from '../../events/session-stream.js';
import type { Identity } from '../request/request-identity.js';
import { SCOPES, type Scope } from '../request/scopes.js';
import { DEFAULT_CLAIM_NAMES, type ClaimNames } from './claim-names.js';

/** The caller of a request that carries a good token. */
export interface Caller extends Identity {
  readonly scopes: ReadonlySet<Scope>;
  /** The one session the token is bound to; undefined where it is bound to none. */
  readonly session: string | undefined;
}

/** Some providers call it so. Read only where the name of the scope claim was not chosen. */
const OTHER_SCOPE_CLAIM = 'scp';

/** The token says something of its caller that cannot be used. The reason is for the log. */
export class UnusableClaimError extends Error {
  override readonly name = 'UnusableClaimError';
}

// The subject is stored with each event: a name, not a document.
const subject = z.string().min(1).max(255);
const tenant = z.string().regex(TENANT_PATTERN);
const scopeList = z.union([z.string().transform((text) => text.split(' ')), z.array(z.string())]);
const actorKind = z.enum(ACTOR_KINDS);
const sessionId = z.string().regex(ID_PATTERN);

/**
 * The caller a verified token speaks for. Scopes that are not ours are passed over.
 *
 * @param claims its payload, the signature and times of which are checked
 * @throws {UnusableClaimError}
 */
export function callerOf(
  claims: Readonly<Record<string, unknown>>,
  names: ClaimNames = DEFAULT_CLAIM_NAMES,
): Caller {
  const read = <T>(schema: z.ZodType<T>, name: string): T => {
    const parsed = schema.safeParse(own(claims, name));
    if (parsed.success) return parsed.data;
    throw new UnusableClaimError(`the claim "${name}" is missing or not usable`);
  };
  const optional = <T>(schema: z.ZodType<T>, name: string): T | undefined =>
    own(claims, name) === undefined ? undefined : read(schema, name);
  const scopes =
    optional(scopeList, names.scope) ??
    (names.scope === DEFAULT_CLAIM_NAMES.scope ? optional(scopeList, OTHER_SCOPE_CLAIM) : []) ??
    [];
  const expires = optional(z.number(), 'exp');
  return {
    tenant: read(tenant, names.tenant),
    actor: { kind: optional(actorKind, names.actor) ?? 'user', subject: read(subject, 'sub') },
    scopes: new Set(SCOPES.filter((scope) => scopes.includes(scope))),
    session: optional(sessionId, names.session),
    expiresAt: expires === undefined ? undefined : expires * 1_000,
  };
}

function own(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined;
}
