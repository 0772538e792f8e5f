/**
 * What a route asks of its caller, declared beside it. Authorization reads the scope from
 * here; a route that declares nothing is a mistake that a test finds.
 */
import { applyDecorators, SetMetadata } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';

/** What a caller can be given. `todos:write` holds turns, writes and forks. */
export const SCOPES = ['todos:read', 'todos:write', 'sessions:delete', 'metrics', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Metadata key under which a route's access is kept. */
export const ROUTE_ACCESS = 'planlog:access';

/** A scope, or `open`: needs no token and shows no data. */
export type RouteAccess = Scope | 'open';

/** The route needs this scope. */
export const NeedsScope = (scope: Scope): MethodDecorator =>
  SetMetadata<string, RouteAccess>(ROUTE_ACCESS, scope);

/** The route needs no token and shows no data. */
export const OpenToAll = (): MethodDecorator =>
  SetMetadata<string, RouteAccess>(ROUTE_ACCESS, 'open');

/** The route carries out a session command: its answers hold the command id, errors too. */
export const CommandRoute = (scope: Scope): MethodDecorator =>
  applyDecorators(NeedsScope(scope), RouteConfig({ sessionCommand: true }));

/** Is the request's route a {@link CommandRoute}? */
export function isCommandRoute(request: FastifyRequest): boolean {
  const config: object = request.routeOptions.config;
  return 'sessionCommand' in config && config.sessionCommand === true;
}
