/**
 * The HTTP API as a Nest module, on Fastify. It needs SessionTodos, SessionOverview, TodoHistory
 * and the command handlers of the module it is given, and a CommandBus; who wants only those
 * leaves it out.
 */
import { Module, type DynamicModule, type ModuleMetadata, type Provider } from '@nestjs/common';
import { Draining } from './draining.js';
import { GenerationsController } from './generations/generations.controller.js';
import { HealthController } from './health/health.controller.js';
import { TodoHistoryController } from './history/todo-history.controller.js';
import { OpenApiController } from './openapi/openapi.controller.js';
import { ParkedController } from './projections/parked.controller.js';
import { ProjectionsController } from './projections/projections.controller.js';
import { OverviewController } from './overview/overview.controller.js';
import { OverviewEventsController } from './overview/overview-events.controller.js';
import { LocalIdentity, RequestIdentity } from './request/request-identity.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { OpenStreams } from './sse/open-streams.js';
import { ReadBarrier } from './todos/read-barrier.js';
import { TodoEventsController } from './todos/todo-events.controller.js';
import { TodosController } from './todos/todos.controller.js';
import { ToolsController } from './tools/tools.controller.js';
import { TurnsController } from './turns/turns.controller.js';

/** Every controller, in the order of the contract. */
export const API_CONTROLLERS = [
  TurnsController,
  TodosController,
  SessionsController,
  TodoEventsController,
  TodoHistoryController,
  OverviewController,
  OverviewEventsController,
  ToolsController,
  ProjectionsController,
  ParkedController,
  GenerationsController,
  HealthController,
  OpenApiController,
] as const;

export interface ApiModuleOptions {
  /** Where SessionTodos, SessionOverview, TodoHistory and the command handlers come from. */
  readonly imports: NonNullable<ModuleMetadata['imports']>;
  /** Provides `Readiness`. */
  readonly readiness: Provider;
  /** Provides `RequestIdentity`; {@link LocalIdentity} where it is absent. */
  readonly identity?: Provider;
}

@Module({})
export class ApiModule {
  static forRoot({ imports, readiness, identity }: ApiModuleOptions): DynamicModule {
    return {
      module: ApiModule,
      imports,
      controllers: [...API_CONTROLLERS],
      providers: [
        Draining,
        OpenStreams,
        ReadBarrier,
        readiness,
        identity ?? { provide: RequestIdentity, useClass: LocalIdentity },
      ],
      exports: [Draining, OpenStreams],
    };
  }
}
