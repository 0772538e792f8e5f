/** Turns of a session: they open and they close. */
import { Body, Controller, HttpCode, Param, Post, Req, Res, UseFilters } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EndTurn, StartTurn } from '../../commands/session/session-commands.js';
import { ProblemFilter } from '../problem/problem.filter.js';
import { pathId } from '../request/ids.js';
import { parseBody } from '../request/parse-input.js';
import { RequestIdentity } from '../request/request-identity.js';
import { CommandRoute } from '../request/route-access.js';
import { sendReceipt } from '../request/send-receipt.js';
import { readSessionCommand } from '../request/session-command.js';
import { endTurnBody, startTurnBody } from './turns.schemas.js';

@Controller('v1/sessions/:sessionId/turns')
@UseFilters(ProblemFilter)
export class TurnsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly identity: RequestIdentity,
  ) {}

  /** StartTurn. Everything in the body is optional, and so is the body. */
  @Post()
  @HttpCode(201)
  @CommandRoute('todos:write')
  async start(
    @Param('sessionId') sessionId: unknown,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { session, envelope } = readSessionCommand(this.identity, request, reply, sessionId);
    const input = body === undefined ? {} : parseBody(startTurnBody, body);
    sendReceipt(reply, await this.commands.execute(new StartTurn(session, input, envelope)));
  }

  /** EndTurn. */
  @Post(':turnId/end')
  @HttpCode(200)
  @CommandRoute('todos:write')
  async end(
    @Param('sessionId') sessionId: unknown,
    @Param('turnId') turnId: unknown,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { session, envelope } = readSessionCommand(this.identity, request, reply, sessionId);
    const input = { turnId: pathId('turnId', turnId), ...parseBody(endTurnBody, body) };
    sendReceipt(reply, await this.commands.execute(new EndTurn(session, input, envelope)));
  }
}
