/** Verifies bearer tokens (RFC 7519), signed with a shared secret or a provider's keys. */
import { createSecretKey } from 'node:crypto';
import {
  createRemoteJWKSet,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
} from 'jose';

/** Where the keys are. */
export type TokenKeys =
  | { readonly kind: 'secret'; readonly secret: string }
  | { readonly kind: 'jwks'; readonly url: URL };

/** What a token must say to be ours. */
export interface TokenRules {
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
}

/** The token is not good. The reason is for the log, never for the caller. */
export class TokenRefusedError extends Error {
  override readonly name = 'TokenRefusedError';
}

/** The provider's keys cannot be had: nobody can be told apart, so nobody comes in. */
export class TokenKeysUnavailableError extends Error {
  override readonly name = 'TokenKeysUnavailableError';
}

/** Public-key algorithms of RFC 7518 and 8037. A shared secret's are never among them: who has
 * a public key could sign with it (algorithm confusion). */
const ASYMMETRIC = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const FETCH_WITHIN_MS = 5_000;

/** How a provider's keys are kept. */
export interface KeyCache {
  /** A key the provider has taken back is no longer accepted after this long, milliseconds. */
  readonly keepMs: number;
  /** An unknown key id makes us ask the provider, but not more often than this, milliseconds. */
  readonly askAgainMs: number;
}

const DEFAULT_KEY_CACHE: KeyCache = { keepMs: 600_000, askAgainMs: 5_000 };

export class TokenVerifier {
  readonly #verify: (token: string) => Promise<JWTPayload>;
  readonly #load: () => Promise<void>;

  constructor(keys: TokenKeys, rules: TokenRules = {}, cache: KeyCache = DEFAULT_KEY_CACHE) {
    const { issuer, audience } = rules;
    const options: JWTVerifyOptions = {
      ...(issuer === undefined ? {} : { issuer }),
      ...(audience === undefined ? {} : { audience }),
    };
    if (keys.kind === 'secret') {
      const key = createSecretKey(Buffer.from(keys.secret));
      this.#verify = async (token) =>
        (await jwtVerify(token, key, { ...options, algorithms: ['HS256'] })).payload;
      this.#load = () => Promise.resolve();
    } else {
      const remote = createRemoteJWKSet(keys.url, {
        timeoutDuration: FETCH_WITHIN_MS,
        cacheMaxAge: cache.keepMs,
        cooldownDuration: cache.askAgainMs,
      });
      const verify = verifierOf(remote, { ...options, algorithms: ASYMMETRIC });
      this.#verify = verify;
      this.#load = () => remote.reload();
    }
  }

  /**
   * Fetches the provider's keys ahead of the first token.
   *
   * @throws {TokenKeysUnavailableError} they cannot be had now; each token asks again
   */
  async load(): Promise<void> {
    try {
      await this.#load();
    } catch (error) {
      throw new TokenKeysUnavailableError(reasonOf(error), { cause: error });
    }
  }

  /**
   * The claims of a good token: its signature, its times, and its issuer and audience where
   * they are configured.
   *
   * @throws {TokenRefusedError}
   * @throws {TokenKeysUnavailableError}
   */
  async verify(token: string): Promise<JWTPayload> {
    try {
      return await this.#verify(token);
    } catch (error) {
      if (error instanceof TokenKeysUnavailableError) throw error;
      throw new TokenRefusedError(reasonOf(error), { cause: error });
    }
  }
}

function verifierOf(
  remote: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): (token: string) => Promise<JWTPayload> {
  const keyOf: JWTVerifyGetKey = async (header, token) => {
    try {
      return await remote(header, token);
    } catch (error) {
      throw saysTheToken(error)
        ? error
        : new TokenKeysUnavailableError(reasonOf(error), { cause: error });
    }
  };
  return async (token) => {
    try {
      return (await jwtVerify(token, keyOf, options)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      // No key id in the token, and several keys that may be meant.
      for await (const key of error) {
        try {
          return (await jwtVerify(token, key, options)).payload;
        } catch (failure) {
          if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
        }
      }
      throw new errors.JWSSignatureVerificationFailed();
    }
  };
}

/** Is it the token's fault that no key was found, or the provider's? */
function saysTheToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

/** A short text without the token. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTClaimValidationFailed) return `${error.claim}: ${error.reason}`;
  if (error instanceof errors.JOSEError) return `${error.code}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}
