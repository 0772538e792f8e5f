/** Keys that stand still at an event that could not be folded: listed, retried, led past it. */
import { Controller, Get, HttpCode, Param, Post, Query, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ProjectionHost } from '../../projections/runtime/projection-host.js';
import { ProblemFilter } from '../problem/problem.filter.js';
import { parseQuery } from '../request/parse-input.js';
import { NeedsScope } from '../request/route-access.js';
import { parkedPage, sendAdmin, unparkedJson } from './projection-answers.js';
import { parkedQuery } from './projections.schemas.js';

@Controller('v1/projections/:name/parked')
@UseFilters(ProblemFilter)
export class ParkedController {
  constructor(private readonly projections: ProjectionHost) {}

  /** A page of them. */
  @Get()
  @NeedsScope('admin', { boundTokens: 'refused' })
  async list(
    @Param('name') name: string,
    @Query() query: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const projection = this.projections.projection(name);
    const { limit, cursor } = parseQuery(parkedQuery, query);
    sendAdmin(reply, await parkedPage(projection, limit, cursor));
  }

  /** Folds the key's events anew. */
  @Post(':key/retry')
  @HttpCode(200)
  @NeedsScope('admin', { boundTokens: 'refused' })
  async retry(
    @Param('name') name: string,
    @Param('key') key: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendAdmin(reply, unparkedJson(await this.projections.projection(name).retry(key)));
  }

  /** Has the event at which it stands passed over for ever, then folds the key anew. */
  @Post(':key/discard')
  @HttpCode(200)
  @NeedsScope('admin', { boundTokens: 'refused' })
  async discard(
    @Param('name') name: string,
    @Param('key') key: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendAdmin(reply, unparkedJson(await this.projections.projection(name).discard(key)));
  }
}
