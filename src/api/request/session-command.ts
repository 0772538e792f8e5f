/** What every session command takes from its request besides its own body. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CommandEnvelope } from '../../commands/session/session-commands.js';
import type { SessionRef } from '../../events/session-stream.js';
import { takeCommandId } from './command-id.js';
import { parseIfMatch } from './entity-tags.js';
import { pathId } from './ids.js';
import type { RequestIdentity } from './request-identity.js';

/** The session a command is for, and what comes with the command but its id. */
export interface SessionTarget extends Omit<CommandEnvelope, 'commandId'> {
  readonly session: SessionRef;
}

/** The session a command is for, and its envelope. */
export interface SessionCommandInput {
  readonly session: SessionRef;
  readonly envelope: CommandEnvelope;
}

/** Version, trace id, parent id and flags of W3C trace context; not all zero, not version ff. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Reads the session id of the path and the headers. The command id comes first, so that the
 * answer holds it whatever else is wrong.
 *
 * @throws {Problem} 400, or what the identity says
 */
export function readSessionCommand(
  identity: RequestIdentity,
  request: FastifyRequest,
  reply: FastifyReply,
  sessionId: unknown,
): SessionCommandInput {
  const commandId = takeCommandId(request, reply);
  const { session, actor, ifMatch, traceparent } = readSessionTarget(identity, request, sessionId);
  return { session, envelope: { commandId, actor, ifMatch, traceparent } };
}

/**
 * The same for a command whose id is not in a header.
 *
 * @throws {Problem} 400, or what the identity says
 */
export function readSessionTarget(
  identity: RequestIdentity,
  request: FastifyRequest,
  sessionId: unknown,
): SessionTarget {
  const { tenant, actor } = identity.of(request);
  return {
    session: { tenant, sessionId: pathId('sessionId', sessionId) },
    actor,
    ifMatch: parseIfMatch(request.headers['if-match']),
    traceparent: validTraceparent(request.headers['traceparent']),
  };
}

/** A broken trace context is dropped: it is no reason to refuse a command. */
function validTraceparent(header: unknown): string | undefined {
  return typeof header === 'string' && TRACEPARENT.test(header) ? header : undefined;
}
