/** Ready means: every projection of this process has caught up with the log and follows it. */
import { Injectable } from '@nestjs/common';
import { Readiness, type ReadinessCheck } from '../api/health/readiness.js';
import { ProjectionHost } from '../projections/runtime/projection-host.js';

@Injectable()
export class ProjectionReadiness extends Readiness {
  constructor(private readonly projections: ProjectionHost) {
    super();
  }

  override async checks(): Promise<ReadinessCheck[]> {
    const statuses = await this.projections.statuses();
    return statuses.map(({ name, state }) => ({ name, state, ready: state === 'live' }));
  }
}
