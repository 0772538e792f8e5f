/** Has every route of the server say who may use it. */
import type { FastifyInstance } from 'fastify';
import { accessIn } from '../request/route-access.js';

/**
 * Refuses routes that declare no access, when they are registered: the server does not start
 * with one. Call it before the routes are registered.
 */
export function requireDeclaredAccess(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', ({ method, url, config }) => {
    if (accessIn(config) !== undefined) return;
    throw new TypeError(
      `the route ${String(method)} ${url} does not say who may use it: add NeedsScope or OpenToAll`,
    );
  });
}
