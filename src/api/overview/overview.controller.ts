/** The fleet: all sessions of the caller's tenant, in short, page by page. */
import { Controller, Get, Query, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SessionOverview } from '../../projections/session-overview/session-overview.js';
import { SessionTodos } from '../../projections/session-todos/session-todos.js';
import { Draining } from '../draining.js';
import { ProblemFilter } from '../problem/problem.filter.js';
import { parseQuery } from '../request/parse-input.js';
import { RequestIdentity } from '../request/request-identity.js';
import { NeedsScope } from '../request/route-access.js';
import { JSON_MEDIA_TYPE } from '../request/send-receipt.js';
import { formatCursor } from './overview-cursor.js';
import { readOverviewQuery } from './overview.schemas.js';

/** The number of a change that the page already shows: what to follow from. */
export const CHANGE_HEADER = 'Planlog-Change';

/** How long the overview may take to show what the sessions' own views show, milliseconds. */
const CATCH_UP_MS = 250;

@Controller('v1/sessions')
@UseFilters(ProblemFilter)
export class OverviewController {
  constructor(
    private readonly overview: SessionOverview,
    private readonly todos: SessionTodos,
    private readonly identity: RequestIdentity,
    private readonly draining: Draining,
  ) {}

  /** A page of sessions, and the totals of all. */
  @Get()
  @NeedsScope('todos:read', { boundTokens: 'refused' })
  async read(
    @Query() query: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { tenant } = this.identity.of(request);
    const { limit, cursor, ...filter } = parseQuery(readOverviewQuery, query);
    this.draining.assertServing();
    // Whoever has seen a session's view finds no older row here.
    const { position } = this.todos;
    if (position !== undefined) await this.overview.reached(position, CATCH_UP_MS);
    // Before the page: what changes in between is told again, not missed.
    const change = await this.overview.lastChange();
    const { items, after } = await this.overview.page(tenant, filter, { after: cursor, limit });
    const totals = await this.overview.totals(tenant);
    void reply
      .header('Cache-Control', 'private, no-cache')
      .header('Content-Type', JSON_MEDIA_TYPE)
      .header(CHANGE_HEADER, String(change))
      .send(JSON.stringify({ items, cursor: after && formatCursor(after), totals }));
  }
}
