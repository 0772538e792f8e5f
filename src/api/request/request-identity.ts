/**
 * Who sends a request. Where no auth is configured every request is tenant `default`, with every
 * scope, from this machine only; with it, the token says (`auth/`).
 */
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ACTOR_KINDS, type Actor, type ActorKind } from '../../events/metadata.js';
import { DEFAULT_TENANT } from '../../events/session-stream.js';
import { invalidRequest } from '../problem/problem.js';

/** The caller of a request. */
export interface Identity {
  readonly tenant: string;
  readonly actor: Actor;
  /** When the caller's token ends, milliseconds since 1970; undefined where it never does. */
  readonly expiresAt?: number | undefined;
}

/** Finds out who sends a request. */
export abstract class RequestIdentity {
  /** @throws {Problem} the request does not say it as it should */
  abstract of(request: FastifyRequest): Identity;
}

const ACTOR_HEADER = 'Planlog-Actor';
const FIELD = 'planlog-actor';
const SUBJECT = 'local';

const identities = new Map<unknown, Identity>(
  ACTOR_KINDS.map((kind: ActorKind) => [
    kind,
    Object.freeze({ tenant: DEFAULT_TENANT, actor: Object.freeze({ kind, subject: SUBJECT }) }),
  ]),
);

/** The caller where no auth is configured: an agent, unless `Planlog-Actor` names another. */
@Injectable()
export class LocalIdentity extends RequestIdentity {
  override of({ headers }: FastifyRequest): Identity {
    const identity = identities.get(headers[FIELD] ?? 'agent');
    if (identity === undefined) {
      throw invalidRequest(ACTOR_HEADER, `one of ${ACTOR_KINDS.join(', ')}`);
    }
    return identity;
  }
}
