/**
 * Whether the log can serve: both ways of it, since a server answers one before the other. What
 * lately worked or failed is the evidence; where nothing happened lately, it is tried.
 */
import type { EventLogError } from '../errors.js';

export type PathName = 'append' | 'subscribe';

export interface PathState {
  readonly ready: boolean;
  /** Why it is not. */
  readonly problem?: string;
}

export interface EsdbReadiness {
  /** True for both the append and the subscribe path. */
  readonly ready: boolean;
  readonly append: PathState;
  readonly subscribe: PathState;
}

interface Evidence {
  readonly at: number;
  readonly problem: string | undefined;
}

/** Evidence of success is good for this long, one of failure for much less. */
const GOOD_MS = 5_000;
const BAD_MS = 500;

export class ReadinessWatch {
  readonly #probes: Readonly<Record<PathName, () => Promise<void>>>;
  readonly #now: () => number;
  readonly #evidence = new Map<PathName, Evidence>();
  readonly #probing = new Map<PathName, Promise<void>>();

  /** @param probes try one way, and reject where it does not work; bounded in time */
  constructor(
    probes: Readonly<Record<PathName, () => Promise<void>>>,
    now: () => number = () => performance.now(),
  ) {
    this.#probes = probes;
    this.#now = now;
  }

  /** What came of using one way. */
  note(path: PathName, error?: unknown): void {
    const problem = error === undefined ? undefined : problemText(error);
    this.#evidence.set(path, { at: this.#now(), problem });
  }

  async check(): Promise<EsdbReadiness> {
    const [append, subscribe] = await Promise.all([this.#path('append'), this.#path('subscribe')]);
    return { ready: append.ready && subscribe.ready, append, subscribe };
  }

  async #path(path: PathName): Promise<PathState> {
    if (!this.#isFresh(path)) await this.#probe(path);
    const problem = this.#evidence.get(path)?.problem;
    return problem === undefined ? { ready: true } : { ready: false, problem };
  }

  #isFresh(path: PathName): boolean {
    const evidence = this.#evidence.get(path);
    if (evidence === undefined) return false;
    return this.#now() - evidence.at < (evidence.problem === undefined ? GOOD_MS : BAD_MS);
  }

  #probe(path: PathName): Promise<void> {
    let probing = this.#probing.get(path);
    if (probing === undefined) {
      const tried = this.#probes[path]();
      probing = tried
        .then(
          () => {
            this.note(path);
          },
          (error: unknown) => {
            this.note(path, error);
          },
        )
        .finally(() => {
          this.#probing.delete(path);
        });
      this.#probing.set(path, probing);
    }
    return probing;
  }
}

/** Failures that say something about the log, not about one append. */
export function saysNotReady(error: EventLogError): boolean {
  return error.code === 'unavailable' || error.code === 'outcome_unknown';
}

function problemText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
