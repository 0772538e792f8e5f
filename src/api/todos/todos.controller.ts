/** The checklist: written whole, and read as its view. */
import { Body, Controller, Get, Param, Put, Query, Req, Res, UseFilters } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WriteTodos } from '../../commands/session/session-commands.js';
import { SessionTodos } from '../../projections/session-todos/session-todos.js';
import { ProblemFilter } from '../problem/problem.filter.js';
import { formatEntityTag, matchesVersion } from '../request/entity-tags.js';
import { pathId } from '../request/ids.js';
import { parseBody, parseQuery } from '../request/parse-input.js';
import { RequestIdentity } from '../request/request-identity.js';
import { CommandRoute, NeedsScope } from '../request/route-access.js';
import { JSON_MEDIA_TYPE, sendReceipt } from '../request/send-receipt.js';
import { readSessionCommand } from '../request/session-command.js';
import { projectionBehind, ReadBarrier } from './read-barrier.js';
import { sessionDeleted, sessionNotFound, sessionParked } from './session-state.js';
import { readTodosQuery, writeTodosBody } from './todos.schemas.js';

@Controller('v1/sessions/:sessionId/todos')
@UseFilters(ProblemFilter)
export class TodosController {
  constructor(
    private readonly commands: CommandBus,
    private readonly identity: RequestIdentity,
    private readonly todos: SessionTodos,
    private readonly barrier: ReadBarrier,
  ) {}

  /** WriteTodos. */
  @Put()
  @CommandRoute('todos:write')
  async write(
    @Param('sessionId') sessionId: unknown,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { session, envelope } = readSessionCommand(this.identity, request, reply, sessionId);
    const { turnId, todos } = parseBody(writeTodosBody, body);
    const command = new WriteTodos(session, { turnId, todos }, envelope);
    sendReceipt(reply, await this.commands.execute(command));
  }

  /** The view, as it was last committed or, with `after`, at that position or later. */
  @Get()
  @NeedsScope('todos:read')
  async read(
    @Param('sessionId') id: unknown,
    @Query() query: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { tenant } = this.identity.of(request);
    const sessionId = pathId('sessionId', id);
    const { after, timeoutMs } = parseQuery(readTodosQuery, query);
    const behind = after !== undefined && !(await this.barrier.reached(after, timeoutMs, reply));

    const snapshot = await this.todos.snapshot({ tenant, sessionId });
    const parked = snapshot?.state === 'present' && snapshot.parked;
    if (after !== undefined && parked) throw sessionParked(sessionId);
    if (after !== undefined && behind) throw projectionBehind(after);
    if (snapshot === undefined) throw sessionNotFound(sessionId);
    if (snapshot.state === 'deleted') throw sessionDeleted(sessionId);

    void reply
      .header('ETag', formatEntityTag(snapshot))
      .header('Cache-Control', 'private, no-cache');
    if (matchesVersion(request.headers['if-none-match'], snapshot)) {
      void reply.code(304).send();
      return;
    }
    void reply.header('Content-Type', JSON_MEDIA_TYPE).send(snapshot.json);
  }
}
