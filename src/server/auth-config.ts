/** The variables that configure bearer tokens. */
import { z } from 'zod';
import { DEFAULT_CLAIM_NAMES, type ClaimNames } from '../api/auth/claim-names.js';
import type { TokenKeys } from '../api/auth/token-verifier.js';
import { isLoopbackHostHeader } from './loopback.js';

/** How bearer tokens are checked. */
export interface AuthConfig {
  readonly keys: TokenKeys;
  readonly issuer: string | undefined;
  readonly audience: string | undefined;
  readonly claims: ClaimNames;
}

/** RFC 7518, 3.2: a key for HS256 has at least as many bits as its hash. */
const LEAST_SECRET_BYTES = 32;

const SECRET_RULE = `a secret of at least ${LEAST_SECRET_BYTES} bytes, such as "openssl rand -base64 48" makes`;
// Who can change the keys on their way can sign tokens.
const JWKS_RULE = 'an https:// address, or http:// on this machine';

const claimName = z.string().optional();

/** Parts of the environment's schema. */
export const authVariables = {
  PLANLOG_JWT_SECRET: z
    .string()
    .refine((secret) => Buffer.byteLength(secret) >= LEAST_SECRET_BYTES, { error: SECRET_RULE })
    .optional(),
  PLANLOG_JWKS_URL: z
    .url({ protocol: /^https?$/, error: JWKS_RULE })
    .transform((text) => new URL(text))
    .refine(({ protocol, host }) => protocol === 'https:' || isLoopbackHostHeader(host), {
      error: JWKS_RULE,
    })
    .optional(),
  PLANLOG_JWT_ISSUER: z.string().optional(),
  PLANLOG_JWT_AUDIENCE: z.string().optional(),
  PLANLOG_CLAIM_TENANT: claimName,
  PLANLOG_CLAIM_SCOPE: claimName,
  PLANLOG_CLAIM_ACTOR: claimName,
  PLANLOG_CLAIM_SESSION: claimName,
};

/** Their values go into no message. */
export const SECRET_VARIABLES: ReadonlySet<string> = new Set([
  'PLANLOG_JWT_SECRET',
  'PLANLOG_JWKS_URL',
]);

type AuthVariables = z.output<z.ZodObject<typeof authVariables>>;

/**
 * @param faults gets what cannot be used
 * @returns undefined where no auth is configured
 */
export function readAuth(values: AuthVariables, faults: string[]): AuthConfig | undefined {
  const { PLANLOG_JWT_SECRET: secret, PLANLOG_JWKS_URL: url } = values;
  if (secret !== undefined && url !== undefined) {
    faults.push(
      'PLANLOG_JWT_SECRET and PLANLOG_JWKS_URL are both set; allowed is one of them, so that ' +
        'nobody signs with the weaker one',
    );
  }
  const keys: TokenKeys | undefined =
    url !== undefined
      ? { kind: 'jwks', url }
      : secret !== undefined
        ? { kind: 'secret', secret }
        : undefined;
  if (keys === undefined) {
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined || !Object.hasOwn(authVariables, name)) continue;
      // Half a configuration would leave the server open while its operator thinks it is not.
      faults.push(`${name} is set; it needs PLANLOG_JWKS_URL or PLANLOG_JWT_SECRET beside it`);
    }
    return undefined;
  }
  return {
    keys,
    issuer: values.PLANLOG_JWT_ISSUER,
    audience: values.PLANLOG_JWT_AUDIENCE,
    claims: {
      tenant: values.PLANLOG_CLAIM_TENANT ?? DEFAULT_CLAIM_NAMES.tenant,
      scope: values.PLANLOG_CLAIM_SCOPE ?? DEFAULT_CLAIM_NAMES.scope,
      actor: values.PLANLOG_CLAIM_ACTOR ?? DEFAULT_CLAIM_NAMES.actor,
      session: values.PLANLOG_CLAIM_SESSION ?? DEFAULT_CLAIM_NAMES.session,
    },
  };
}
