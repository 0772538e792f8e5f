/** What every request has to pass before it is routed: do we still serve, and is it from here? */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Draining } from '../api/draining.js';
import { stopping } from '../api/draining.js';
import { invalidRequest, Problem } from '../api/problem/problem.js';
import { isLoopbackHostHeader, isLoopbackOrigin } from './loopback.js';

/** Refuses everything once the server stops. One hook for all, as every hook costs each request. */
export function admitWhileServing(fastify: FastifyInstance, draining: Draining): void {
  fastify.addHook('onRequest', (_request, reply, done) => {
    done(draining.started ? refuseStopping(reply) : undefined);
  });
}

/** The same, and it answers this machine only: for a server without auth. */
export function admitLoopbackOnly(fastify: FastifyInstance, draining: Draining): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    done(draining.started ? refuseStopping(reply) : refusal(request));
  });
}

function refuseStopping(reply: FastifyReply): Problem {
  // The client opens its next connection elsewhere.
  void reply.header('Connection', 'close');
  return stopping();
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
