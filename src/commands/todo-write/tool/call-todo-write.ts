/**
 * A call of the tool `todo_write`, on raw arguments. Whatever the model can correct comes back
 * as a result that says how; faults of the store and of the caller stay errors.
 */
import { CommandBus } from '@nestjs/cqrs';
import { Injectable } from '@nestjs/common';
import type { SessionRef } from '../../../events/session-stream.js';
import { CommandRefusedError, type Refusal, type RefusalCode } from '../../refusals.js';
import { WriteTodos, type CommandEnvelope } from '../../session/session-commands.js';
import { SessionTransactions } from '../../session/session-transactions.js';
import { parseTodos } from '../parse-todos.js';
import { INVALID_LIST } from '../write-todos.handler.js';
import { readArguments } from './read-arguments.js';
import { acceptedResult, refusedResult, type ToolResult } from './tool-result.js';

/** Refusals that are the model's to correct, or at least to know. */
const FOR_THE_MODEL: ReadonlySet<RefusalCode> = new Set<RefusalCode>([
  'invalid_todos',
  'too_many_in_progress',
  'turn_not_open',
  'turn_mismatch',
  'actor_not_allowed',
  'session_not_found',
  'session_deleted',
]);

@Injectable()
export class TodoWriteTool {
  constructor(
    private readonly commands: CommandBus,
    private readonly sessions: SessionTransactions,
  ) {}

  /**
   * @param envelope its command id is the call id. Models reuse call ids: one that matches the
   * turn's latest write with equal content is a retry, anything else is a new write
   * @throws {CommandRefusedError} a refusal that is not the model's to correct
   * @throws {CommandFailedError} the store could not carry it out
   */
  async call(
    session: SessionRef,
    input: { readonly turnId: string; readonly arguments: unknown },
    envelope: CommandEnvelope,
  ): Promise<ToolResult> {
    const read = readArguments(input.arguments);
    if (!read.ok) return this.#refused(session, { detail: INVALID_LIST, errors: read.errors });
    const parsed = parseTodos(read.todos);
    if (!parsed.ok) return this.#refused(session, { detail: INVALID_LIST, errors: parsed.errors });
    const { todos } = parsed;
    try {
      const { counts, hints, revision } = await this.commands.execute(
        new WriteTodos(session, { turnId: input.turnId, todos }, { ...envelope, repeats: 'call' }),
      );
      if (counts === undefined) throw new TypeError('a written list has counts');
      return acceptedResult({ todos, counts, revision }, read.dropped, hints ?? []);
    } catch (error) {
      if (error instanceof CommandRefusedError && FOR_THE_MODEL.has(error.code)) {
        return this.#refused(session, error.refusal);
      }
      throw error;
    }
  }

  async #refused(
    session: SessionRef,
    refusal: Pick<Refusal, 'detail' | 'errors'>,
  ): Promise<ToolResult> {
    return refusedResult(refusal, await this.sessions.standingCounts(session));
  }
}
