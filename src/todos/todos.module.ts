/** The checklist as a Nest module: its commands on the CommandBus, its read side to inject. */
import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { TODO_POLICY, todoPolicySchema, type TodoPolicy } from '../commands/policy.js';
import { CommandRuntime } from '../commands/runtime/command-runtime.js';
import { DeleteSessionHandler } from '../commands/session/handlers/delete-session.handler.js';
import { EndTurnHandler } from '../commands/session/handlers/end-turn.handler.js';
import { ForkSessionHandler } from '../commands/session/handlers/fork-session.handler.js';
import { StartTurnHandler } from '../commands/session/handlers/start-turn.handler.js';
import { SessionTransactions } from '../commands/session/session-transactions.js';
import { TodoWriteTool } from '../commands/todo-write/tool/call-todo-write.js';
import { WriteTodosHandler } from '../commands/todo-write/write-todos.handler.js';
import type { EventLog } from '../events/log/event-log.js';
import { EVENT_LOG } from '../events/log/event-log.token.js';
import { ProjectionHost } from '../projections/runtime/projection-host.js';
import { sessionOverviewProjection } from '../projections/session-overview/session-overview.projection.js';
import { SessionOverview } from '../projections/session-overview/session-overview.js';
import { sessionTodosProjection } from '../projections/session-todos/session-todos.projection.js';
import { SessionTodos } from '../projections/session-todos/session-todos.js';
import { truncateDeletedSessions } from '../projections/session-todos/truncate-deleted-sessions.js';
import { TodoHistory } from '../projections/todo-history/todo-history.js';
import { TODO_PROJECTIONS } from './todo-projections.js';

export interface TodosModuleOptions {
  /** What new writes may be. Every deployment chooses `allowParallelInProgress`. */
  readonly policy: TodoPolicy;
}

@Module({})
export class TodosModule {
  /** @throws {z.ZodError} the policy allows lists that no store can carry */
  static forRoot({ policy }: TodosModuleOptions): DynamicModule {
    return {
      module: TodosModule,
      providers: [
        { provide: TODO_POLICY, useValue: todoPolicySchema.parse(policy) },
        {
          provide: SessionTransactions,
          inject: [CommandRuntime],
          useFactory: (runtime: CommandRuntime) => new SessionTransactions(runtime),
        },
        {
          provide: Symbol('truncate-deleted-sessions'),
          inject: [EVENT_LOG],
          useFactory: (log: EventLog) => truncateDeletedSessions(log),
        },
        ...TODO_PROJECTIONS.map((each) =>
          each((projection): Provider => ({
            provide: Symbol(projection.name),
            useValue: projection,
          })),
        ),
        {
          provide: SessionTodos,
          inject: [ProjectionHost],
          useFactory: (host: ProjectionHost) =>
            new SessionTodos(host.reader(sessionTodosProjection)),
        },
        {
          provide: SessionOverview,
          inject: [ProjectionHost],
          useFactory: (host: ProjectionHost) =>
            new SessionOverview(host.table(sessionOverviewProjection)),
        },
        {
          provide: TodoHistory,
          inject: [EVENT_LOG],
          useFactory: (log: EventLog) => new TodoHistory(log),
        },
        StartTurnHandler,
        WriteTodosHandler,
        EndTurnHandler,
        ForkSessionHandler,
        DeleteSessionHandler,
        TodoWriteTool,
      ],
      exports: [SessionTodos, SessionOverview, TodoHistory, TodoWriteTool, TODO_POLICY],
    };
  }
}
