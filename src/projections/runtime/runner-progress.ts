/** What a runner tells of itself: to health, to metrics, and to whoever waits for the first
 * catch-up. */
import { comparePositions, LOG_START, type Position } from '../../events/log/position.js';
import type { Clock } from './clock.js';

/** `paused`: a person wants it to stand still; it goes on when they say so. */
export type RunnerState = 'catching-up' | 'live' | 'paused' | 'stopped';

export interface RunnerStatus {
  readonly state: RunnerState;
  /** How old the view is, whole seconds; 0 when caught up; null before anything is known. */
  readonly secondsBehind: number | null;
  /** Between its checkpoint and the log's head; null while either is unknown. */
  readonly distance: string | null;
  /** When the last batch was committed, ISO 8601; null before the first. */
  readonly lastProgress: string | null;
  /** How often a pull was opened anew after an error or a quiet end. */
  readonly resubscriptions: number;
  /** How often the watchdog had it opened anew: no fault. */
  readonly watchdogResubscriptions: number;
  /** What stops it, or hinders it now; null when nothing does. */
  readonly problem: string | null;
}

/** How long a view may go without reaching the head before it counts as behind. */
const STILL_LIVE_MS = 5_000;

export class RunnerProgress {
  readonly #clock: Clock;
  #state: Exclude<RunnerState, 'paused'> = 'stopped';
  #paused = false;
  /** Stopped for good, not only before its start. */
  #over = false;
  #problem: string | null = null;
  #lastProgress: number | undefined;
  /** The moment the view shows, milliseconds; undefined while unknown. */
  #viewOf: number | undefined;
  #liveAt: number | undefined;
  #resubscriptions = 0;
  #watchdogResubscriptions = 0;
  #caughtUp: Promise<void>;
  #resolveCaughtUp!: () => void;
  #rejectCaughtUp!: (error: unknown) => void;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#caughtUp = new Promise((resolve, reject) => {
      this.#resolveCaughtUp = resolve;
      this.#rejectCaughtUp = reject;
    });
    // Nobody has to wait for it.
    this.#caughtUp.catch(() => undefined);
  }

  get state(): RunnerState {
    return this.#paused && !this.#over ? 'paused' : this.#state;
  }

  /** See {@link Runner.caughtUp}. */
  get caughtUp(): Promise<void> {
    return this.#caughtUp;
  }

  started(): void {
    this.#state = 'catching-up';
  }

  /** The view grows old from here on. */
  paused(): void {
    this.waiting();
    this.#paused = true;
  }

  resumed(): void {
    this.#paused = false;
    if (this.#state === 'live') this.#state = 'catching-up';
  }

  /** @param newest when the batch's last event was stored; undefined where it had none */
  committed(newest: Date | undefined, caughtUp: boolean): void {
    const now = this.#clock.now();
    this.#lastProgress = now;
    this.#problem = null;
    if (caughtUp) {
      this.#state = 'live';
      this.#viewOf = now;
      this.#resolveCaughtUp();
      this.#liveAt = now;
    } else {
      // A busy log always has more: a view that was live a moment ago is not behind yet.
      if (this.#liveAt === undefined || now - this.#liveAt > STILL_LIVE_MS) {
        this.#state = 'catching-up';
      }
      if (newest) this.#viewOf = newest.getTime();
    }
  }

  /** A batch is being waited for: a live view is as new as this moment. */
  waiting(): void {
    if (this.state === 'live') this.#viewOf = this.#clock.now();
  }

  /** The pull is lost; another one will be opened. */
  lost(error: unknown): void {
    this.waiting();
    this.#state = 'catching-up';
    this.#resubscriptions += 1;
    this.#problem = messageOf(error);
  }

  woken(): void {
    this.#watchdogResubscriptions += 1;
  }

  /** @param error why; undefined when it was asked to */
  stopped(error?: unknown): void {
    this.#state = 'stopped';
    this.#over = true;
    if (error !== undefined) this.#problem = messageOf(error);
    this.#rejectCaughtUp(error ?? new Error('stopped before it had caught up'));
  }

  status(position: Position | undefined, head: Position | undefined): RunnerStatus {
    const { state } = this;
    const live = state === 'live';
    const age = this.#viewOf === undefined ? null : this.#clock.now() - this.#viewOf;
    return {
      state,
      secondsBehind: live ? 0 : age === null ? null : Math.max(0, Math.floor(age / 1000)),
      distance: head === undefined ? null : distance(position ?? LOG_START, head),
      lastProgress:
        this.#lastProgress === undefined ? null : new Date(this.#lastProgress).toISOString(),
      resubscriptions: this.#resubscriptions,
      watchdogResubscriptions: this.#watchdogResubscriptions,
      problem: this.#problem,
    };
  }
}

function distance(from: Position, to: Position): string {
  return comparePositions(from, to) >= 0 ? '0' : (to.commit - from.commit).toString();
}

/** Errors of another realm are not instanceof Error. */
export function messageOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'message' in error) {
    return String(error.message);
  }
  return String(error);
}
