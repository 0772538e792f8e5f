/** Checks what comes with a command, whoever sent it: the HTTP API or a host's own code. */
import { createHash } from 'node:crypto';
import { ACTOR_KINDS } from '../../events/metadata.js';
import { ID_PATTERN, TENANT_PATTERN, type SessionRef } from '../../events/session-stream.js';
import { CommandRefusedError, type InputFault } from '../refusals.js';
import type { CommandEnvelope } from './session-commands.js';

/** Command ids and call ids, and the same in words. */
export const COMMAND_ID_PATTERN = /^[\x21-\x7e]{1,255}$/;
export const COMMAND_ID_RULE = '1 to 255 visible ASCII characters';
/** A subject longer than this would eat into what a list may take. */
const MAX_SUBJECT_LENGTH = 1_000;
const ID_RULE = 'must be 1 to 128 of A-Z a-z 0-9 . _ ~ - and begin with a letter or digit';

/**
 * @param ids further ids of the command, by the name of their field
 * @throws {CommandRefusedError} `invalid_request`, naming every fault
 */
export function validateCommand(
  { tenant, sessionId }: SessionRef,
  { actor, commandId }: CommandEnvelope,
  ids: Readonly<Record<string, string | undefined>> = {},
): void {
  const errors: InputFault[] = [];
  if (!TENANT_PATTERN.test(tenant)) {
    errors.push({ path: 'tenant', message: 'must be 1 to 63 of a-z 0-9 _' });
  }
  if (!ID_PATTERN.test(sessionId)) errors.push({ path: 'sessionId', message: ID_RULE });
  if (!COMMAND_ID_PATTERN.test(commandId)) {
    errors.push({ path: 'commandId', message: `must be ${COMMAND_ID_RULE}` });
  }
  if (!ACTOR_KINDS.includes(actor.kind)) {
    errors.push({ path: 'actor.kind', message: `must be one of ${ACTOR_KINDS.join(', ')}` });
  }
  if (actor.subject.length > MAX_SUBJECT_LENGTH) {
    errors.push({
      path: 'actor.subject',
      message: `must have at most ${MAX_SUBJECT_LENGTH} characters`,
    });
  }
  for (const field in ids) {
    const id = ids[field];
    if (id !== undefined && !ID_PATTERN.test(id)) errors.push({ path: field, message: ID_RULE });
  }
  if (errors.length === 0) return;
  throw new CommandRefusedError({
    code: 'invalid_request',
    detail: 'The command is not well-formed.',
    errors,
  });
}

/** The turn id of a StartTurn that names none: the same for every retry of the command. */
export function turnIdOf(commandId: string): string {
  return `turn-${createHash('sha256').update(commandId).digest('hex').slice(0, 32)}`;
}
