/** Carries out `planlog token`: for a server with a shared secret, to try it or for a script. */
import { parseArgs } from 'node:util';
import { SignJWT } from 'jose';
import { callerOf, UnusableClaimError } from '../../api/auth/caller.js';
import { SCOPES } from '../../api/request/scopes.js';
import { readConfig } from '../../server/config.js';
import { EXIT, UsageError, type RunVerb } from '../frame/verb.js';

const DEFAULT_SCOPE = 'todos:read todos:write sessions:delete';
const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
const DURATION = /^([1-9]\d{0,5})([smhd])$/;

export const mintToken: RunVerb = async (args, { env, out }) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      tenant: { type: 'string', default: 'default' },
      subject: { type: 'string', default: 'planlog-token' },
      scope: { type: 'string', default: DEFAULT_SCOPE },
      actor: { type: 'string', default: 'agent' },
      session: { type: 'string' },
      expires: { type: 'string', default: '1h' },
    },
  });
  const { auth } = readConfig(env);
  if (auth?.keys.kind !== 'secret') {
    throw new UsageError('PLANLOG_JWT_SECRET is not set; use the secret that the server has');
  }
  const { claims: names, issuer, audience } = auth;
  const claims = {
    sub: values.subject,
    [names.tenant]: values.tenant,
    [names.scope]: values.scope,
    [names.actor]: values.actor,
    ...(values.session === undefined ? {} : { [names.session]: values.session }),
  };
  refuseUnknownScopes(values.scope);
  refuseUnusable(() => callerOf(claims, names));
  const expires = Math.floor(Date.now() / 1_000) + secondsOf(values.expires);
  const token = new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt()
    .setExpirationTime(expires);
  if (issuer !== undefined) token.setIssuer(issuer);
  if (audience !== undefined) token.setAudience(audience);
  out(`${await token.sign(Buffer.from(auth.keys.secret))}\n`);
  return EXIT.done;
};

/** The server passes over what it does not know, so a slip would only show there. */
function refuseUnknownScopes(scope: string): void {
  const known: readonly string[] = SCOPES;
  const unknown = scope.split(' ').filter((one) => one !== '' && !known.includes(one));
  if (unknown.length === 0) return;
  throw new UsageError(
    `--scope has ${unknown.join(', ')}; allowed is any of ${SCOPES.join(', ')}, in quotes`,
  );
}

/** A token that the server would refuse is not minted. */
function refuseUnusable(check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (error instanceof UnusableClaimError) throw new UsageError(error.message);
    throw error;
  }
}

function secondsOf(text: string): number {
  const match = DURATION.exec(text);
  const unit = match?.[2];
  if (unit === 's' || unit === 'm' || unit === 'h' || unit === 'd') {
    return Number(match?.[1]) * SECONDS[unit];
  }
  throw new UsageError(`--expires is "${text}"; allowed is a duration such as 30s, 15m, 8h or 30d`);
}
