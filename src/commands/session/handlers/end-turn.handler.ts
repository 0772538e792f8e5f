import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Receipt } from '../../receipt.js';
import { decideEndTurn } from '../decide-turn.js';
import { EndTurn } from '../session-commands.js';
import { SessionTransactions } from '../session-transactions.js';
import { validateCommand } from '../validate-command.js';

@CommandHandler(EndTurn)
export class EndTurnHandler implements ICommandHandler<EndTurn> {
  constructor(private readonly sessions: SessionTransactions) {}

  async execute({ session, input, envelope }: EndTurn): Promise<Receipt> {
    const { turnId, outcome } = input;
    validateCommand(session, envelope, { turnId });
    const intent = { turnId, outcome, ifMatch: envelope.ifMatch };
    const { revision, position } = await this.sessions.inSession(
      session,
      envelope,
      (state, known) => decideEndTurn(state, intent, known),
    );
    return { sessionId: session.sessionId, turnId, revision, position };
  }
}
