/** Answers every error of a request as a problem, whoever raised it. */
import { Catch, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { echoCommandId } from '../request/command-id.js';
import { isCommandRoute } from '../request/route-access.js';
import { PROBLEM_MEDIA_TYPE } from './problem.js';
import { problemOfError } from './problem-of-error.js';

@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const problem = problemOfError(error);
    if (problem.code === 'internal_error') this.logger.error(problem.cause);
    if (reply.sent || reply.raw.headersSent) {
      // A stream that failed midway: there is nothing left to answer with.
      reply.raw.destroy();
      return;
    }
    // Errors before the handler, such as bad JSON, return the key too.
    if (isCommandRoute(request)) echoCommandId(request, reply);
    if (problem.retryAfter !== undefined) void reply.header('Retry-After', problem.retryAfter);
    if (problem.code === 'body_too_large') {
      // Fastify would close the connection under a client that still sends, which then loses
      // the answer to a reset. Left open, Node reads the rest and drops it.
      void reply.removeHeader('connection');
    }
    void reply
      .code(problem.status)
      .header('Content-Type', PROBLEM_MEDIA_TYPE)
      .header('Cache-Control', 'no-store')
      .send(problem.toJson());
  }
}
