/** Generations of a projection, for those who run the deployment: built, promoted, dropped. */
import { Controller, Delete, Get, Param, Post, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ProjectionHost } from '../../projections/runtime/projection-host.js';
import { ProblemFilter } from '../problem/problem.filter.js';
import { NeedsScope } from '../request/route-access.js';
import { JSON_MEDIA_TYPE } from '../request/send-receipt.js';
import { generationNumber } from './generations.schemas.js';

@Controller('v1/projections/:name/generations')
@UseFilters(ProblemFilter)
export class GenerationsController {
  constructor(private readonly projections: ProjectionHost) {}

  /** All of them. */
  @Get()
  @NeedsScope('admin', { boundTokens: 'refused' })
  async list(@Param('name') name: string, @Res() reply: FastifyReply): Promise<void> {
    const projection = this.projections.projection(name);
    send(reply, 200, { items: await projection.listGenerations(await this.projections.head()) });
  }

  /** Has one built; one that is being built already is gone on with. */
  @Post()
  @NeedsScope('admin', { boundTokens: 'refused' })
  async rebuild(@Param('name') name: string, @Res() reply: FastifyReply): Promise<void> {
    const projection = this.projections.projection(name);
    send(reply, 202, await projection.rebuild(await this.projections.head()));
  }

  /** Serves one in place of the one that is served. */
  @Post(':generation/promote')
  @NeedsScope('admin', { boundTokens: 'refused' })
  async promote(
    @Param('name') name: string,
    @Param('generation') generation: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const projection = this.projections.projection(name);
    const number = generationNumber(generation);
    send(reply, 202, await projection.promote(number, await this.projections.head()));
  }

  /** Cancels the building of one, or removes it with its rows. */
  @Delete(':generation')
  @NeedsScope('admin', { boundTokens: 'refused' })
  async drop(
    @Param('name') name: string,
    @Param('generation') generation: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const projection = this.projections.projection(name);
    const number = generationNumber(generation);
    send(reply, 202, await projection.drop(number, await this.projections.head()));
  }
}

function send(reply: FastifyReply, status: number, body: object): void {
  void reply
    .code(status)
    .header('Content-Type', JSON_MEDIA_TYPE)
    .header('Cache-Control', 'no-store')
    .send(JSON.stringify(body));
}
