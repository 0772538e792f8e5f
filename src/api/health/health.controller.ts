/** Health for whoever runs the service. No token, no data. */
import { Controller, Get, Header, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Draining } from '../draining.js';
import { Problem } from '../problem/problem.js';
import { ProblemFilter } from '../problem/problem.filter.js';
import { OpenToAll } from '../request/route-access.js';
import { JSON_MEDIA_TYPE } from '../request/send-receipt.js';
import { Readiness } from './readiness.js';

@Controller('health')
@UseFilters(ProblemFilter)
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly draining: Draining,
  ) {}

  /** The process answers. */
  @Get('live')
  @OpenToAll()
  @Header('Cache-Control', 'no-store')
  live(): { status: string } {
    return { status: 'live' };
  }

  /** Requests can be served. */
  @Get('ready')
  @OpenToAll()
  async ready(@Res() reply: FastifyReply): Promise<void> {
    if (this.draining.started) throw new Problem('not_ready', 'the server is stopping');
    const checks = await this.readiness.checks();
    const missing = checks.filter((check) => !check.ready);
    if (missing.length > 0) {
      const states = missing.map(({ name, state }) => `${name} is ${state}`);
      throw new Problem('not_ready', states.join('; '));
    }
    const states = checks.map(({ name, state }) => ({ name, state }));
    void reply
      .header('Content-Type', JSON_MEDIA_TYPE)
      .header('Cache-Control', 'no-store')
      .send(JSON.stringify({ status: 'ready', checks: states }));
  }
}
