/** Ready means: the log can be reached, and every projection has caught up and follows it. */
import { Injectable } from '@nestjs/common';
import { Readiness, type ReadinessCheck } from '../api/health/readiness.js';
import { ProjectionHost } from '../projections/runtime/projection-host.js';

@Injectable()
export class ProjectionReadiness extends Readiness {
  /** @param log what readiness asks of the log itself */
  constructor(
    private readonly projections: ProjectionHost,
    private readonly log: () => Promise<readonly ReadinessCheck[]>,
  ) {
    super();
  }

  override async checks(): Promise<ReadinessCheck[]> {
    const [log, statuses] = await Promise.all([this.log(), this.projections.statuses()]);
    return [
      ...log,
      ...statuses.map(({ name, state }) => ({ name, state, ready: state === 'live' })),
    ];
  }
}
