import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Receipt } from '../../receipt.js';
import { decideFork } from '../decide-lifecycle.js';
import { ForkSession } from '../session-commands.js';
import { SessionTransactions } from '../session-transactions.js';
import { validateCommand } from '../validate-command.js';

@CommandHandler(ForkSession)
export class ForkSessionHandler implements ICommandHandler<ForkSession> {
  constructor(private readonly sessions: SessionTransactions) {}

  async execute({ session, input, envelope }: ForkSession): Promise<Receipt> {
    validateCommand(session, envelope, { sessionId: input.sessionId });
    const { ifMatch } = envelope;
    const child = { tenant: session.tenant, sessionId: input.sessionId };
    const source = await this.sessions.read(session);
    const intent = { source, sourceId: session.sessionId, ifMatch };
    const { revision, position } = await this.sessions.atFirstEvent(
      child,
      envelope,
      (state, known) => decideFork(state, intent, known),
    );
    return { sessionId: child.sessionId, turnId: null, revision, position };
  }
}
