/** Puts the stock server together: the event log, the modules, and the HTTP API on Fastify. */
import 'reflect-metadata';
import { isIPv6 } from 'node:net';
import { Logger, type NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiModule } from '../api/api.module.js';
import { BearerAuth, TokenIdentity } from '../api/auth/bearer-auth.js';
import { requireDeclaredAccess } from '../api/auth/require-declared-access.js';
import { TokenVerifier } from '../api/auth/token-verifier.js';
import { Draining } from '../api/draining.js';
import { apiFastifyOptions } from '../api/fastify/fastify-options.js';
import { installApi } from '../api/fastify/install-api.js';
import { Readiness } from '../api/health/readiness.js';
import { RequestIdentity } from '../api/request/request-identity.js';
import { EventSourcingModule } from '../event-sourcing/event-sourcing.module.js';
import { sqliteReadModels } from '../projections/read-model/sqlite/sqlite-read-models.js';
import { ProjectionHost } from '../projections/runtime/projection-host.js';
import { TodosModule } from '../todos/todos.module.js';
import { admitLoopbackOnly, admitWhileServing } from './admission.js';
import type { AuthConfig } from './auth-config.js';
import type { PlanlogConfig } from './config.js';
import { Connections } from './connections.js';
import { JsonLogger } from './json-logger.js';
import { openLog, type OpenLog } from './open-log.js';
import { ProjectionReadiness } from './projection-readiness.js';
import { processJobs } from './rebuild/process-jobs.js';

/** How long requests in flight may take to finish when the server stops. */
const IN_FLIGHT_MS = 1_200;

/** A server that listens. */
export interface Planlog {
  /** Where, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  readonly app: NestFastifyApplication;
  /** Resolves when every projection has caught up, or will not: the log says why. */
  caughtUp(): Promise<void>;
  /**
   * Stops within two seconds: streams end, no new work comes in, what is in flight finishes,
   * projections drain, the log closes. May be called again.
   */
  close(): Promise<void>;
}

/**
 * Starts the server. When it resolves, requests are served.
 *
 * @param signal gives up waiting for a log that is away
 * @param open opens the log; tests put something between it and the server
 * @throws {LogFileError} | {EsdbStartError} | {ConnectionStringError} the log cannot be opened
 * @throws {UnusableReadModelError} the read models cannot be used
 */
export async function startPlanlog(
  config: PlanlogConfig,
  signal?: AbortSignal,
  open: typeof openLog = openLog,
): Promise<Planlog> {
  // Before the log, which has something to say while it waits.
  Logger.overrideLogger(new JsonLogger(config.logLevel));
  const opened = await open(config, signal);
  let app: NestFastifyApplication | undefined;
  try {
    app = await createApp(config, opened);
    const connections = new Connections(app.getHttpServer());
    // A name may stand for several addresses, and each would be a server of its own.
    const host = config.host === 'localhost' ? '127.0.0.1' : config.host;
    await app.init();
    // Not Nest's own listen, which logs a failure before whoever starts the server can say it.
    await app.getHttpAdapter().getInstance().listen({ port: config.port, host });
    return listening(app, connections, host);
  } catch (error) {
    await app?.close();
    await opened.log.close();
    throw error;
  }
}

async function createApp(
  config: PlanlogConfig,
  { log, checks }: OpenLog,
): Promise<NestFastifyApplication> {
  const options: Readonly<NestApplicationOptions> = {
    bodyParser: false,
    logger: new JsonLogger(config.logLevel),
    abortOnError: false,
  };
  const identity = new TokenIdentity();
  const app = await NestFactory.create<NestFastifyApplication>(
    ApiModule.forRoot({
      imports: [
        EventSourcingModule.forRoot({
          log,
          readModels: sqliteReadModels(config.dataDir),
          rebuildJobs: processJobs(config),
        }),
        TodosModule.forRoot({ policy: config.policy }),
      ],
      readiness: {
        provide: Readiness,
        inject: [ProjectionHost],
        useFactory: (host: ProjectionHost) => new ProjectionReadiness(host, checks),
      },
      ...(config.auth && { identity: { provide: RequestIdentity, useValue: identity } }),
    }),
    new FastifyAdapter(apiFastifyOptions({ maxBodyBytes: config.maxBodyBytes })),
    options,
  );
  installApi(app);
  const fastify = app.getHttpAdapter().getInstance();
  requireDeclaredAccess(fastify);
  if (config.auth) {
    admitWhileServing(fastify, app.get(Draining));
    bearerAuth(config.auth, identity).install(fastify);
  } else {
    admitLoopbackOnly(fastify, app.get(Draining));
  }
  return app;
}

function bearerAuth({ keys, claims, ...rules }: AuthConfig, identity: TokenIdentity): BearerAuth {
  const verifier = new TokenVerifier(keys, rules);
  // So that a wrong address is seen at the start, not with the first caller. Each token asks again.
  verifier.load().catch((error: unknown) => {
    new Logger('Auth').error(error);
  });
  return new BearerAuth(verifier, identity, claims);
}

function listening(app: NestFastifyApplication, connections: Connections, host: string): Planlog {
  const address = app.getHttpServer().address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  let closed: Promise<void> | undefined;
  return {
    url: `http://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    app,
    caughtUp: () =>
      app
        .get(ProjectionHost)
        .caughtUp()
        .catch(() => undefined),
    close() {
      return (closed ??= (() => {
        app.get(Draining).begin();
        return connections.drain(IN_FLIGHT_MS, () => app.close());
      })());
    },
  };
}
