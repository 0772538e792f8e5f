/**
 * What a route asks of its caller, declared beside it. Authorization reads the scope from
 * here; a route that declares nothing is a mistake that a test finds.
 */
import { applyDecorators, SetMetadata } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { SCOPES, type Scope } from './scopes.js';

/** Metadata key under which a route's scope is kept. */
export const ROUTE_ACCESS = 'planlog:access';

/** A scope, or `open`: needs no token and shows no data. */
export type RouteAccess = Scope | 'open';

/**
 * What a token that is bound to one session may do here. `own-session`: only where the path's
 * `sessionId` is that session, so never on a route without one.
 */
export type BoundTokens = 'own-session' | 'allowed' | 'refused';

/** What a route asks of its caller. */
export interface DeclaredAccess {
  readonly scope: RouteAccess;
  readonly boundTokens: BoundTokens;
}

interface AccessOptions {
  /** Default: `own-session`. */
  readonly boundTokens?: BoundTokens;
}

/** The route needs this scope. */
export const NeedsScope = (scope: Scope, options?: AccessOptions): MethodDecorator =>
  declared(scope, options);

/** The route needs no token and shows no data. */
export const OpenToAll = (): MethodDecorator => declared('open');

/** The route carries out a session command: its answers hold the command id, errors too. */
export const CommandRoute = (scope: Scope, options?: AccessOptions): MethodDecorator =>
  declared(scope, options, { sessionCommand: true });

/** Is the request's route a {@link CommandRoute}? */
export function isCommandRoute(request: FastifyRequest): boolean {
  const config: object = request.routeOptions.config;
  return 'sessionCommand' in config && config.sessionCommand === true;
}

const accessSchema = z.object({
  scope: z.enum([...SCOPES, 'open']),
  boundTokens: z.enum(['own-session', 'allowed', 'refused']),
});

/** What a route declares, from its Fastify config; undefined where it declares nothing. */
export function accessIn(config: unknown): DeclaredAccess | undefined {
  if (typeof config !== 'object' || config === null || !('access' in config)) return undefined;
  return accessSchema.safeParse(config.access).data;
}

function declared(
  scope: RouteAccess,
  { boundTokens = 'own-session' }: AccessOptions = {},
  more: object = {},
): MethodDecorator {
  const access: DeclaredAccess = { scope, boundTokens };
  return applyDecorators(
    SetMetadata<string, RouteAccess>(ROUTE_ACCESS, scope),
    // One decorator for all of it: a second one would replace the first.
    RouteConfig({ access, ...more }),
  );
}
