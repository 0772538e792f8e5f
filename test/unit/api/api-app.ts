/** The API alone: the real routes, errors and Fastify settings, over fakes. */
import { CommandBus } from '@nestjs/cqrs';
import { Global, Module, type NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiModule } from '../../../src/api/api.module.js';
import { apiFastifyOptions } from '../../../src/api/fastify/fastify-options.js';
import { installApi } from '../../../src/api/fastify/install-api.js';
import { Readiness, type ReadinessCheck } from '../../../src/api/health/readiness.js';
import { TODO_POLICY, todoPolicySchema } from '../../../src/commands/policy.js';
import type { Receipt } from '../../../src/commands/receipt.js';
import type {
  DeleteSession,
  EndTurn,
  ForkSession,
  StartTurn,
  WriteTodos,
} from '../../../src/commands/session/session-commands.js';
import { TodoWriteTool } from '../../../src/commands/todo-write/tool/call-todo-write.js';
import { ProjectionHost } from '../../../src/projections/runtime/projection-host.js';
import { SessionOverview } from '../../../src/projections/session-overview/session-overview.js';
import { SessionTodos } from '../../../src/projections/session-todos/session-todos.js';
import { TodoHistory } from '../../../src/projections/todo-history/todo-history.js';
import { MemoryEventLog } from '../../../src/testing/memory-event-log.js';
import { FakeFleet } from './fake-fleet.js';
import { FakeRows } from './fake-rows.js';

export type SentCommand = StartTurn | WriteTodos | EndTurn | ForkSession | DeleteSession;

export const RECEIPT: Receipt = {
  sessionId: 's1',
  turnId: 't1',
  // Above 2^53: a number would lose its last digits (faults.md C 59).
  revision: 9_007_199_254_740_993n,
  position: { commit: 12n, prepare: 11n },
};

export interface ApiApp {
  readonly app: NestFastifyApplication;
  readonly rows: FakeRows;
  /** The same sessions do not show in both: each is moved by itself. */
  readonly fleet: FakeFleet;
  /** The commands that came, in order. */
  readonly sent: SentCommand[];
  /** What the next commands do. */
  answer: (command: SentCommand) => Promise<Receipt>;
  checks: ReadinessCheck[];
  /** Starts to listen, where a test needs a real socket. */
  listen(): Promise<string>;
}

/** @param maxBodyBytes 64 KiB by default */
export async function openApiApp({ maxBodyBytes = 65_536 } = {}): Promise<ApiApp> {
  const rows = new FakeRows();
  const fleet = new FakeFleet();
  const sent: SentCommand[] = [];
  const bus = {
    execute(command: SentCommand): Promise<Receipt> {
      sent.push(command);
      return opened.answer(command);
    },
  };

  @Global()
  @Module({
    providers: [
      { provide: CommandBus, useValue: bus },
      { provide: SessionTodos, useValue: new SessionTodos(rows) },
      // Its routes are tested on a real server.
      { provide: ProjectionHost, useValue: {} },
      { provide: SessionOverview, useValue: new SessionOverview(fleet) },
      { provide: TodoHistory, useValue: new TodoHistory(new MemoryEventLog()) },
      // The tool is tested on the real thing: it is more than a route.
      { provide: TodoWriteTool, useValue: {} },
      {
        provide: TODO_POLICY,
        useValue: todoPolicySchema.parse({ allowParallelInProgress: false }),
      },
    ],
    exports: [
      CommandBus,
      ProjectionHost,
      SessionTodos,
      SessionOverview,
      TodoHistory,
      TodoWriteTool,
      TODO_POLICY,
    ],
  })
  class Fakes {}

  const options: Readonly<NestApplicationOptions> = {
    bodyParser: false,
    logger: false,
    abortOnError: false,
  };
  const readiness = { provide: Readiness, useValue: { checks: () => opened.checks } };
  const app = await NestFactory.create<NestFastifyApplication>(
    ApiModule.forRoot({ imports: [Fakes], readiness }),
    // A client's spare connections, which carried no request, do not hold up a test's end.
    new FastifyAdapter({ ...apiFastifyOptions({ maxBodyBytes }), forceCloseConnections: true }),
    options,
  );
  installApi(app);
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  const opened: ApiApp = {
    app,
    rows,
    fleet,
    sent,
    answer: () => Promise.resolve(RECEIPT),
    checks: [],
    async listen() {
      await app.listen(0, '127.0.0.1');
      return app.getUrl();
    },
  };
  return opened;
}
