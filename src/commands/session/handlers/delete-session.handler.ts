import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Receipt } from '../../receipt.js';
import { decideDelete } from '../decide-lifecycle.js';
import { DeleteSession } from '../session-commands.js';
import { SessionTransactions } from '../session-transactions.js';
import { validateCommand } from '../validate-command.js';

@CommandHandler(DeleteSession)
export class DeleteSessionHandler implements ICommandHandler<DeleteSession> {
  constructor(private readonly sessions: SessionTransactions) {}

  async execute({ session, envelope }: DeleteSession): Promise<Receipt> {
    validateCommand(session, envelope);
    const { revision, position } = await this.sessions.inSession(
      session,
      envelope,
      (state, known) => decideDelete(state, envelope, known),
    );
    return { sessionId: session.sessionId, turnId: null, revision, position };
  }
}
