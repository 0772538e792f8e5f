/** Starts what the modules provide when all of them are made, and stops all in order. */
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { CommandRuntime } from '../commands/runtime/command-runtime.js';
import type { EventLog } from '../events/log/event-log.js';
import { EVENT_LOG } from '../events/log/event-log.token.js';
import { ProjectionHost } from '../projections/runtime/projection-host.js';
import { addDiscovered } from './discover-definitions.js';

/** Time to fold what was acknowledged before the read models close, in milliseconds. What is
 * left is folded at the next start. */
const DRAIN_MS = 500;

@Injectable()
export class EventSourcingLifecycle implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(EVENT_LOG) private readonly log: EventLog,
    private readonly runtime: CommandRuntime,
    private readonly projections: ProjectionHost,
    private readonly discovery: DiscoveryService,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    addDiscovered(this.discovery, this.projections);
    await this.projections.start();
  }

  /** The HTTP server is closed by now: nothing new comes in. */
  async onApplicationShutdown(): Promise<void> {
    await this.runtime.idle();
    await this.projections.stop({ deadlineMs: DRAIN_MS });
    await this.log.close();
  }
}
