/**
 * Ready means: the log can be reached, and every projection has caught up and follows it. One
 * that a person has paused is as ready as it was meant to be, if it has a complete view to serve:
 * to take the server away from writers and from all other readers would be worse than an old view.
 */
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
    return [...(await this.log()), ...(await this.ofProjections())];
  }

  /** A status that cannot be had is an answer, too: health never fails itself. */
  private async ofProjections(): Promise<ReadinessCheck[]> {
    try {
      const statuses = await this.projections.statuses();
      return statuses.map(({ name, state, problem, serving }) => ({
        name,
        state: problem === null ? state : `${state} (${problem})`,
        ready: state === 'live' || (state === 'paused' && serving !== null),
      }));
    } catch (error) {
      const state = error instanceof Error ? error.message : String(error);
      return [{ name: 'projections', state, ready: false }];
    }
  }
}
