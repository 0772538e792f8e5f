/** Projections for those who run the deployment: how they are doing, paused and resumed. */
import { Controller, Get, HttpCode, Param, Post, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ProjectionHost } from '../../projections/runtime/projection-host.js';
import { ProblemFilter } from '../problem/problem.filter.js';
import { NeedsScope } from '../request/route-access.js';
import { projectionJson, sendAdmin } from './projection-answers.js';

@Controller('v1/projections')
@UseFilters(ProblemFilter)
export class ProjectionsController {
  constructor(private readonly projections: ProjectionHost) {}

  /** All of them. */
  @Get()
  @NeedsScope('admin', { boundTokens: 'refused' })
  async list(@Res() reply: FastifyReply): Promise<void> {
    const head = await this.projections.head();
    const items = await Promise.all(
      this.projections.projections().map((one) => projectionJson(one, head)),
    );
    sendAdmin(reply, { items });
  }

  /** Lets one stand still until it is resumed, also over restarts. */
  @Post(':name/pause')
  @HttpCode(200)
  @NeedsScope('admin', { boundTokens: 'refused' })
  async pause(@Param('name') name: string, @Res() reply: FastifyReply): Promise<void> {
    const projection = this.projections.projection(name);
    await projection.pause();
    sendAdmin(reply, await projectionJson(projection, await this.projections.head()));
  }

  /** Lets one go on. */
  @Post(':name/resume')
  @HttpCode(200)
  @NeedsScope('admin', { boundTokens: 'refused' })
  async resume(@Param('name') name: string, @Res() reply: FastifyReply): Promise<void> {
    const projection = this.projections.projection(name);
    await projection.resume();
    sendAdmin(reply, await projectionJson(projection, await this.projections.head()));
  }
}
