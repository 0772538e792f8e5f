/**
 * Authentication and authorization of every request, in one place and before its body is read
 * (design, section 2: order of checks). A route that declares no access cannot be registered,
 * so a new one cannot be forgotten.
 */
import { Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../problem/problem.js';
import { RequestIdentity, type Identity } from '../request/request-identity.js';
import { accessIn } from '../request/route-access.js';
import { refusalOf } from './authorize.js';
import { callerOf, UnusableClaimError, type Caller } from './caller.js';
import type { ClaimNames } from './claim-names.js';
import {
  TokenKeysUnavailableError,
  TokenRefusedError,
  type TokenVerifier,
} from './token-verifier.js';

/** RFC 6750, 2.1. The scheme's name is of any case (RFC 9110, 11.1). */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** Who sent a request, as its token says. */
export class TokenIdentity extends RequestIdentity {
  readonly #callers = new WeakMap<FastifyRequest, Caller>();

  /** Remembers who sent the request. */
  admit(request: FastifyRequest, caller: Caller): void {
    this.#callers.set(request, caller);
  }

  /** Fails closed: a request that was not admitted has no caller. */
  override of(request: FastifyRequest): Identity {
    const caller = this.#callers.get(request);
    if (caller === undefined) throw unauthenticated();
    return caller;
  }
}

export class BearerAuth {
  readonly #logger = new Logger('Auth');

  /**
   * @param identity told of each caller that is let in
   * @param names what the token's claims are called
   */
  constructor(
    private readonly verifier: TokenVerifier,
    private readonly identity: TokenIdentity,
    private readonly names: ClaimNames,
  ) {}

  /** Adds the check to every request. */
  install(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', async (request, reply) => {
      const problem = await this.#check(request);
      if (problem === undefined) return;
      if (problem.code === 'unauthenticated') challenge(reply);
      throw problem;
    });
  }

  async #check(request: FastifyRequest): Promise<Problem | undefined> {
    if (request.is404) return undefined;
    const access = accessIn(request.routeOptions.config);
    // Fails closed; requireDeclaredAccess has the server not even start with such a route.
    if (access === undefined) return new Problem('forbidden', 'nobody may use this route');
    if (access.scope === 'open') return undefined;
    const caller = await this.#callerOf(request);
    if (caller instanceof Problem) return caller;
    this.identity.admit(request, caller);
    return refusalOf(access, caller, sessionIdOf(request));
  }

  async #callerOf(request: FastifyRequest): Promise<Caller | Problem> {
    const header = request.headers.authorization;
    const token = header === undefined ? undefined : BEARER.exec(header)?.[1];
    if (token === undefined) {
      return this.#refuse(header === undefined ? 'no token' : 'the header is no bearer token');
    }
    try {
      return callerOf(await this.verifier.verify(token), this.names);
    } catch (error) {
      if (error instanceof TokenRefusedError || error instanceof UnusableClaimError) {
        return this.#refuse(error.message);
      }
      if (!(error instanceof TokenKeysUnavailableError)) throw error;
      this.#logger.error(`the keys that tokens are checked with cannot be had: ${error.message}`);
      return new Problem(
        'auth_unavailable',
        'tokens cannot be checked now, so nobody is let in; try again',
      );
    }
  }

  #refuse(reason: string): Problem {
    this.#logger.warn(`a request was refused: ${reason}`);
    return unauthenticated();
  }
}

/** The same for every reason: whoever tries tokens learns nothing. */
function unauthenticated(): Problem {
  return new Problem(
    'unauthenticated',
    'a valid bearer token is needed in the header Authorization',
  );
}

function challenge(reply: FastifyReply): void {
  void reply.header('WWW-Authenticate', 'Bearer');
}

function sessionIdOf({ params }: FastifyRequest): unknown {
  return typeof params === 'object' && params !== null && 'sessionId' in params
    ? params.sessionId
    : undefined;
}
