/** How Fastify has to be set up for the API, by the stock server or by an application. */
import type { FastifyServerOptions } from 'fastify';
import { answerConnectionError, answerRouterError } from './connection-errors.js';

/** Longer than any request line Node accepts: ids are judged by the API, never by the router. */
const MAX_PARAM_LENGTH = 1_000_000;

export interface ApiServerLimits {
  readonly maxBodyBytes: number;
}

/** For `new FastifyAdapter(...)`. Create the Nest application with `bodyParser: false`. */
export function apiFastifyOptions({ maxBodyBytes }: ApiServerLimits) {
  return {
    logger: false,
    bodyLimit: maxBodyBytes,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    frameworkErrors: answerRouterError,
    clientErrorHandler: answerConnectionError,
    // While it stops the API answers 503 itself, as a problem.
    return503OnClosing: false,
    // For a request to arrive, not to be answered: streams are not limited by it.
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    // A request without Host is answered by the API, as a problem.
    http: { headersTimeout: 15_000, requireHostHeader: false },
  } satisfies FastifyServerOptions & { http: object };
}
