import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { countTodos } from '../../events/todo.js';
import { TODO_POLICY, type TodoPolicy } from '../policy.js';
import type { Receipt } from '../receipt.js';
import { CommandRefusedError } from '../refusals.js';
import { WriteTodos } from '../session/session-commands.js';
import { SessionTransactions } from '../session/session-transactions.js';
import { validateCommand } from '../session/validate-command.js';
import { decideWriteTodos } from './decide-write-todos.js';
import { hintsFor } from './hints.js';
import { parseTodos } from './parse-todos.js';

/** Said of every list that breaks a durable invariant; the faults follow. */
export const INVALID_LIST =
  'The list is not valid. Correct each fault and send the whole list again.';

@CommandHandler(WriteTodos)
export class WriteTodosHandler implements ICommandHandler<WriteTodos> {
  constructor(
    private readonly sessions: SessionTransactions,
    @Inject(TODO_POLICY) private readonly policy: TodoPolicy,
  ) {}

  async execute({ session, input, envelope }: WriteTodos): Promise<Receipt> {
    const { turnId } = input;
    validateCommand(session, envelope, { turnId });
    const parsed = parseTodos(input.todos);
    if (!parsed.ok) {
      throw new CommandRefusedError({
        code: 'invalid_todos',
        detail: INVALID_LIST,
        errors: parsed.errors,
      });
    }
    const { todos } = parsed;
    const { repeats = 'key', actor, ifMatch } = envelope;
    const intent = { repeats, actor, turnId, todos, ifMatch };
    const { revision, position } = await this.sessions.inSession(
      session,
      envelope,
      (state, known) => decideWriteTodos(state, intent, this.policy, known),
    );
    const counts = countTodos(todos);
    const hints = hintsFor(counts);
    const receipt = { sessionId: session.sessionId, turnId, revision, position, counts };
    return hints.length === 0 ? receipt : { ...receipt, hints };
  }
}
