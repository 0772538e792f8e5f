/** The live checklist: SSE, written to the raw reply. */
import { Controller, Get, Param, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SnapshotVersion } from '../../projections/session-todos/session-snapshot.js';
import { SessionTodos } from '../../projections/session-todos/session-todos.js';
import { Draining } from '../draining.js';
import { invalidRequest } from '../problem/problem.js';
import { ProblemFilter } from '../problem/problem.filter.js';
import { parseVersion } from '../request/entity-tags.js';
import { pathId } from '../request/ids.js';
import { RequestIdentity } from '../request/request-identity.js';
import { NeedsScope } from '../request/route-access.js';
import { EVENT_STREAM_HEADERS, EventStream } from '../sse/event-stream.js';
import { OpenStreams } from '../sse/open-streams.js';
import { sessionDeleted } from './session-state.js';
import { TodoFeed } from './todo-feed.js';

@Controller('v1/sessions/:sessionId/todos/events')
@UseFilters(ProblemFilter)
export class TodoEventsController {
  constructor(
    private readonly todos: SessionTodos,
    private readonly identity: RequestIdentity,
    private readonly streams: OpenStreams,
    private readonly draining: Draining,
  ) {}

  /** Follows a session, which need not exist yet. */
  @Get()
  @NeedsScope('todos:read')
  async follow(
    @Param('sessionId') id: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { tenant } = this.identity.of(request);
    const sessionId = pathId('sessionId', id);
    const feed = new TodoFeed(this.todos, { tenant, sessionId }, lastEventId(request));
    try {
      const current = await feed.current();
      if (current?.state === 'deleted') throw sessionDeleted(sessionId);
      // The stop may have begun while the snapshot was read.
      this.draining.assertServing();
      if (request.method === 'HEAD') {
        feed.stop();
        void reply.headers(EVENT_STREAM_HEADERS).send();
        return;
      }
      const stream = new EventStream(reply);
      this.streams.add(stream);
      feed.open(stream);
    } catch (error) {
      feed.stop();
      throw error;
    }
  }
}

/** @throws {Problem} it is no id that this stream gives */
function lastEventId({ headers }: FastifyRequest): SnapshotVersion | undefined {
  const header = headers['last-event-id'];
  if (header === undefined) return undefined;
  const version = typeof header === 'string' ? parseVersion(header) : undefined;
  if (version !== undefined) return version;
  throw invalidRequest('Last-Event-ID', 'an id of this stream, such as 12 or 12.1');
}
