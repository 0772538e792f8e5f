/** The history of a session's checklist: every list with what it changed, from the log. */
import { Controller, Get, Param, Query, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TodoHistory } from '../../projections/todo-history/todo-history.js';
import { Draining, stopping } from '../draining.js';
import { ProblemFilter } from '../problem/problem.filter.js';
import { pathId } from '../request/ids.js';
import { parseQuery } from '../request/parse-input.js';
import { RequestIdentity } from '../request/request-identity.js';
import { NeedsScope } from '../request/route-access.js';
import { JSON_MEDIA_TYPE } from '../request/send-receipt.js';
import { sessionDeleted, sessionNotFound } from '../todos/session-state.js';
import { readHistoryQuery } from './history.schemas.js';

@Controller('v1/sessions/:sessionId/todos/history')
@UseFilters(ProblemFilter)
export class TodoHistoryController {
  constructor(
    private readonly history: TodoHistory,
    private readonly identity: RequestIdentity,
    private readonly draining: Draining,
  ) {}

  /** A page of the lists, newest first. */
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
    const { limit, before } = parseQuery(readHistoryQuery, query);
    const history = await this.whileWanted(reply, (signal) =>
      this.history.page({ tenant, sessionId }, { limit, before, signal }),
    );
    switch (history.state) {
      case 'absent':
        throw sessionNotFound(sessionId);
      case 'deleted':
        throw sessionDeleted(sessionId);
      case 'aborted':
        // A client that has left does not see it.
        throw stopping();
      case 'present':
        void reply
          .header('Cache-Control', 'private, no-cache')
          .header('Content-Type', JSON_MEDIA_TYPE)
          .send(JSON.stringify(history.page));
    }
  }

  /** A long stream can take its time: a client that leaves and a server that stops end it. */
  private async whileWanted<T>(
    reply: FastifyReply,
    read: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    this.draining.assertServing();
    const unwanted = new AbortController();
    const giveUp = (): void => {
      unwanted.abort();
    };
    const forget = this.draining.onBegin(giveUp);
    reply.raw.once('close', giveUp);
    try {
      return await read(unwanted.signal);
    } finally {
      forget();
      reply.raw.off('close', giveUp);
    }
  }
}
