import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Receipt } from '../../receipt.js';
import { decideStartTurn } from '../decide-turn.js';
import { StartTurn } from '../session-commands.js';
import { SessionTransactions } from '../session-transactions.js';
import { turnIdOf, validateCommand } from '../validate-command.js';

@CommandHandler(StartTurn)
export class StartTurnHandler implements ICommandHandler<StartTurn> {
  constructor(private readonly sessions: SessionTransactions) {}

  async execute({ session, input, envelope }: StartTurn): Promise<Receipt> {
    const { supersede } = input;
    validateCommand(session, envelope, {
      turnId: input.turnId,
      supersede: supersede === true ? undefined : supersede,
    });
    const { commandId, ifMatch } = envelope;
    const turnId = input.turnId ?? turnIdOf(commandId);
    const intent = { turnId, supersede, ifMatch };
    const { revision, position } = await this.sessions.inSession(
      session,
      envelope,
      (state, known) => decideStartTurn(state, intent, known),
    );
    return { sessionId: session.sessionId, turnId, revision, position };
  }
}
