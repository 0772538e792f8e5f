/**
 * The generic half as a Nest module: the event log, the command runtime and the host of
 * projections and reactions. It knows no todos. A domain's module lists its own projections and
 * reactions among its providers, and they are found.
 */
import { Logger, Module, type DynamicModule } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { CommandRuntime, type CommandRuntimeOptions } from '../commands/runtime/command-runtime.js';
import type { EventLog } from '../events/log/event-log.js';
import { EVENT_LOG } from '../events/log/event-log.token.js';
import type { ReadModels } from '../projections/read-model/read-model.js';
import type { RebuildJobs } from '../projections/runtime/generations/rebuild-jobs.js';
import { ProjectionHost } from '../projections/runtime/projection-host.js';
import { EventSourcingLifecycle } from './event-sourcing-lifecycle.js';

export interface EventSourcingModuleOptions {
  /** Where events are kept. The module closes it when the application shuts down. */
  readonly log: EventLog;
  /** Where projections keep their rows and checkpoints. */
  readonly readModels: ReadModels;
  readonly commands?: CommandRuntimeOptions;
  /** Who builds generations of read models; by default this process, on its event loop. */
  readonly rebuildJobs?: RebuildJobs;
}

/** How much later than at once a busy log's events may be projected. People do not see it; a
 * commit for each is what a busy server would spend its time on. */
const GATHER_MS = 5;

@Module({})
export class EventSourcingModule {
  static forRoot(options: EventSourcingModuleOptions): DynamicModule {
    const { log, readModels, commands, rebuildJobs } = options;
    return {
      module: EventSourcingModule,
      global: true,
      imports: [CqrsModule.forRoot(), DiscoveryModule],
      providers: [
        { provide: EVENT_LOG, useValue: log },
        { provide: CommandRuntime, useValue: new CommandRuntime(log, commands) },
        {
          provide: ProjectionHost,
          useFactory: () =>
            new ProjectionHost(log, readModels, {
              report: reporter(),
              gatherMs: GATHER_MS,
              ...(rebuildJobs && { jobs: rebuildJobs }),
            }),
        },
        EventSourcingLifecycle,
      ],
      exports: [EVENT_LOG, CommandRuntime, ProjectionHost, CqrsModule],
    };
  }
}

/** What projections have to say goes to the application's log. */
function reporter(): (message: string, error: unknown) => void {
  const logger = new Logger('Projections');
  return (message, error) => {
    const why = error instanceof Error ? error.message : String(error);
    logger.warn(`${message}: ${why}`);
  };
}
