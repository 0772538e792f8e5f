/**
 * Notices a pull that has gone deaf: it waits, nothing comes, and yet the log has moved on. A
 * server can end a subscription without a word (faults.md A7, A8).
 */
import { concatMap, defer, EMPTY, repeat, throwError, type Observable } from 'rxjs';
import { comparePositions, LOG_START, type Position } from '../../events/log/position.js';
import { wait, type Clock } from './clock.js';

/** What the watchdog looks at. */
export interface Pulse {
  /** Since when the pull has been waiting, in milliseconds; undefined while a batch is handled. */
  readonly waitingSince: number | undefined;
  /** Everything up to here was heard of. */
  readonly position: Position;
}

/** The pull is to be opened anew. No fault: no backoff, no change of health. */
export class WatchdogTripped extends Error {
  override readonly name = 'WatchdogTripped';
}

export class Watchdog {
  /** Where the head was at the last trip: none again until it moves. */
  #trippedAt = LOG_START;

  /**
   * @param head where the log ends
   * @param silenceMs how long nothing may be heard
   */
  constructor(
    private readonly clock: Clock,
    private readonly head: () => Promise<Position>,
    private readonly silenceMs: number,
  ) {}

  /** Never emits; errors with {@link WatchdogTripped}. */
  watch(pulse: () => Pulse): Observable<never> {
    return defer(() => wait(this.clock, this.silenceMs / 3)).pipe(
      concatMap(() => this.#isDeaf(pulse)),
      concatMap((deaf) => (deaf ? throwError(() => new WatchdogTripped('silent pull')) : EMPTY)),
      repeat(),
    );
  }

  async #isDeaf(pulse: () => Pulse): Promise<boolean> {
    const { waitingSince } = pulse();
    if (waitingSince === undefined || this.clock.now() - waitingSince < this.silenceMs) {
      return false;
    }
    // An unreachable log is for the pull itself to report.
    const head = await this.head().catch(() => LOG_START);
    const now = pulse();
    // Something was heard while the head was asked for.
    if (now.waitingSince !== waitingSince) return false;
    if (comparePositions(head, now.position) <= 0) return false;
    if (comparePositions(head, this.#trippedAt) <= 0) return false;
    this.#trippedAt = head;
    return true;
  }
}
