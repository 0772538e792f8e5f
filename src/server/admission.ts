/** What every request has to pass before it is routed: is it from here, and do we still serve? */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Draining } from '../api/draining.js';
import { stopping } from '../api/draining.js';
import { invalidRequest, Problem } from '../api/problem/problem.js';
import { isLoopbackHostHeader, isLoopbackOrigin } from './loopback.js';

/** Adds the check. One hook for all, as every hook costs each request. */
export function admitLoopbackOnly(fastify: FastifyInstance, draining: Draining): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (draining.started) {
      // The client opens its next connection elsewhere.
      void reply.header('Connection', 'close');
      done(stopping());
    } else {
      done(refusal(request));
    }
  });
}

function refusal({ headers }: FastifyRequest): Problem | undefined {
  if (headers.host === undefined) return invalidRequest('Host', 'the header is missing');
  if (!isLoopbackHostHeader(headers.host)) {
    return new Problem(
      'forbidden',
      'this server has no auth configured and answers to loopback names only; ask for localhost or 127.0.0.1',
    );
  }
  if (headers.origin !== undefined && !isLoopbackOrigin(headers.origin)) {
    return new Problem(
      'forbidden',
      'this server has no auth configured and serves pages of this machine only',
    );
  }
  return undefined;
}
