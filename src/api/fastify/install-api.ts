/** The part of the API that belongs to the whole server: its one body type and its errors. */
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { answerExpectation } from './connection-errors.js';
import { ProblemFilter } from '../problem/problem.filter.js';
import { acceptJsonOnly } from './json-body.js';

/**
 * Sets up an application that serves only the API. One that serves more leaves this out: the
 * controllers answer their own errors as problems, and Nest's parsers do.
 */
export function installApi(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  acceptJsonOnly(fastify);
  fastify.server.on('checkExpectation', answerExpectation);
  app.useGlobalFilters(new ProblemFilter());
}
