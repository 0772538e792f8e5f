/** What happens to a session as a whole: it is forked, and it is deleted. */
import {
  Body,
  Controller,
  Delete,
  HttpCode,
  Param,
  Post,
  Req,
  Res,
  UseFilters,
} from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DeleteSession, ForkSession } from '../../commands/session/session-commands.js';
import { ProblemFilter } from '../problem/problem.filter.js';
import { parseBody } from '../request/parse-input.js';
import { RequestIdentity } from '../request/request-identity.js';
import { CommandRoute } from '../request/route-access.js';
import { sendPosition, sendReceipt } from '../request/send-receipt.js';
import { readSessionCommand } from '../request/session-command.js';
import { forkSessionBody } from './sessions.schemas.js';

@Controller('v1/sessions/:sessionId')
@UseFilters(ProblemFilter)
export class SessionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly identity: RequestIdentity,
  ) {}

  /** ForkSession. */
  @Post('fork')
  @HttpCode(201)
  // It makes another session, so a token of one session does not reach so far.
  @CommandRoute('todos:write', { boundTokens: 'refused' })
  async fork(
    @Param('sessionId') sessionId: unknown,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { session, envelope } = readSessionCommand(this.identity, request, reply, sessionId);
    const input = parseBody(forkSessionBody, body);
    sendReceipt(reply, await this.commands.execute(new ForkSession(session, input, envelope)));
  }

  /** DeleteSession. */
  @Delete()
  @HttpCode(204)
  @CommandRoute('sessions:delete')
  async delete(
    @Param('sessionId') sessionId: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { session, envelope } = readSessionCommand(this.identity, request, reply, sessionId);
    sendPosition(reply, await this.commands.execute(new DeleteSession(session, envelope)));
  }
}
