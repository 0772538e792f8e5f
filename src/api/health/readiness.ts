/** What the service needs before it can serve: the seam between health and what runs. */

/** One thing that must work. */
export interface ReadinessCheck {
  readonly name: string;
  readonly ready: boolean;
  /** Why not, or in what state; never data of a session. */
  readonly state: string;
}

/** Tells whether the service can serve. */
export abstract class Readiness {
  abstract checks(): readonly ReadinessCheck[] | Promise<readonly ReadinessCheck[]>;
}
