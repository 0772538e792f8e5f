/** The header Idempotency-Key: a command's id, the caller's or one made here. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { COMMAND_ID_PATTERN, COMMAND_ID_RULE } from '../../commands/session/validate-command.js';
import { invalidRequest } from '../problem/problem.js';

export const COMMAND_ID_HEADER = 'Idempotency-Key';
const FIELD = 'idempotency-key';

export const commandIdSchema = z
  .string({ error: COMMAND_ID_RULE })
  .regex(COMMAND_ID_PATTERN, { error: COMMAND_ID_RULE });

/**
 * The command id of a request, made where there is none. It is put into the answer at once, so
 * that an error returns it as well.
 *
 * @throws {Problem} the key is not of its form; it is not returned then
 */
export function takeCommandId(request: FastifyRequest, reply: FastifyReply): string {
  const id = commandIdOf(request);
  if (id === undefined) throw invalidRequest(COMMAND_ID_HEADER, COMMAND_ID_RULE);
  void reply.header(COMMAND_ID_HEADER, id);
  return id;
}

/** Puts the command id into an answer that has none yet, unless the caller's is not of its form. */
export function echoCommandId(request: FastifyRequest, reply: FastifyReply): void {
  if (reply.hasHeader(COMMAND_ID_HEADER)) return;
  const id = commandIdOf(request);
  if (id !== undefined) void reply.header(COMMAND_ID_HEADER, id);
}

/** The command id of a request, made where there is none; undefined where it is of no form. */
export function commandIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const given = headers[FIELD];
  if (given === undefined) return randomUUID();
  return typeof given === 'string' && COMMAND_ID_PATTERN.test(given) ? given : undefined;
}
