/** The live fleet: SSE of every change of the caller's tenant. */
import { Controller, Get, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SessionOverview } from '../../projections/session-overview/session-overview.js';
import { Draining } from '../draining.js';
import { invalidRequest } from '../problem/problem.js';
import { ProblemFilter } from '../problem/problem.filter.js';
import { RequestIdentity } from '../request/request-identity.js';
import { NeedsScope } from '../request/route-access.js';
import { EVENT_STREAM_HEADERS, EventStream } from '../sse/event-stream.js';
import { OpenStreams } from '../sse/open-streams.js';
import { OverviewFeed } from './overview-feed.js';
import { parseChange } from './overview.schemas.js';

// A session may be called `events`: this path has no session id, and its own have more after it.
@Controller('v1/sessions/events')
@UseFilters(ProblemFilter)
export class OverviewEventsController {
  constructor(
    private readonly overview: SessionOverview,
    private readonly identity: RequestIdentity,
    private readonly streams: OpenStreams,
    private readonly draining: Draining,
  ) {}

  /** Follows all sessions, from now on or from the last change that was seen. */
  @Get()
  @NeedsScope('todos:read', { boundTokens: 'refused' })
  async follow(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { tenant } = this.identity.of(request);
    const asked = lastEventId(request);
    const last = await this.overview.lastChange();
    this.draining.assertServing();
    if (request.method === 'HEAD') {
      void reply.headers(EVENT_STREAM_HEADERS).send();
      return;
    }
    const stream = new EventStream(reply);
    this.streams.add(stream);
    // A number beyond the last is of a read model that is gone: everything is told again.
    const seen = asked === undefined ? last : asked > last ? 0 : asked;
    new OverviewFeed(this.overview, tenant, stream, seen).start();
  }
}

/** @throws {Problem} it is no id that this stream gives */
function lastEventId({ headers }: FastifyRequest): number | undefined {
  const header = headers['last-event-id'];
  if (header === undefined) return undefined;
  const change = typeof header === 'string' ? parseChange(header) : undefined;
  if (change !== undefined) return change;
  throw invalidRequest('Last-Event-ID', 'an id of this stream, such as 12');
}
