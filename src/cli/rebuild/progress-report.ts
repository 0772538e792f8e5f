/** How far a rebuild has come: a bar for people, lines of JSON for programs. */
import type { CliContext } from '../frame/verb.js';
import type { BuildStatus } from './rebuild-way.js';

/** A bar that is drawn over, milliseconds. */
const DRAW_EVERY_MS = 200;
/** A log of lines must not grow by the millions, milliseconds. */
const LINE_EVERY_MS = 1_000;
const WIDTH = 24;

/** One line of JSON. */
export interface ProgressLine extends BuildStatus {
  readonly projection: string;
  /** Since this command began to watch; null before there is a rate. */
  readonly eventsPerSecond: number | null;
  /** Until it is ready, if it goes on like this; null before that can be said. */
  readonly secondsLeft: number | null;
}

export class ProgressReport {
  readonly #projection: string;
  readonly #context: CliContext;
  readonly #json: boolean;
  readonly #now: () => number;
  #first: { at: number; events: number; percent: number } | undefined;
  #saidAt: number | undefined;
  #drawn = false;

  /**
   * @param json lines on standard output in place of a bar on standard error
   * @param now milliseconds, never going back
   */
  constructor(
    projection: string,
    context: CliContext,
    json: boolean,
    now: () => number = () => performance.now(),
  ) {
    this.#projection = projection;
    this.#context = context;
    this.#json = json;
    this.#now = now;
  }

  /** Says it now, or leaves it out where the last word is too fresh. */
  progress(status: BuildStatus): void {
    const at = this.#now();
    const line = this.#line(status, at);
    const every = this.#json ? LINE_EVERY_MS : DRAW_EVERY_MS;
    if (this.#saidAt !== undefined && at - this.#saidAt < every) return;
    this.#saidAt = at;
    if (this.#json) this.#print(line);
    else this.#draw(line);
  }

  /** Takes the bar away; in JSON says how it ended. */
  over(status: BuildStatus): void {
    this.clear();
    if (this.#json) this.#print(this.#line(status, this.#now()));
  }

  /** Takes the bar away. */
  clear(): void {
    if (this.#drawn) this.#context.err('\r\u001b[K');
    this.#drawn = false;
  }

  #line({ generation, state, events, percent, problem }: BuildStatus, at: number): ProgressLine {
    this.#first ??= { at, events, percent: percent ?? 0 };
    const seconds = (at - this.#first.at) / 1_000;
    const folded = events - this.#first.events;
    const risen = (percent ?? 0) - this.#first.percent;
    return {
      projection: this.#projection,
      generation,
      state,
      events,
      percent,
      eventsPerSecond: seconds > 0 && folded > 0 ? Math.round(folded / seconds) : null,
      secondsLeft:
        state === 'building' && percent !== null && risen > 0
          ? Math.ceil(((100 - percent) / risen) * seconds)
          : null,
      problem,
    };
  }

  #print(line: ProgressLine): void {
    this.#context.out(`${JSON.stringify(line)}\n`);
  }

  #draw({ generation, percent, events, eventsPerSecond, secondsLeft }: ProgressLine): void {
    const full = Math.floor(((percent ?? 0) / 100) * WIDTH);
    const parts = [
      `generation ${generation} [${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}]`,
      percent === null ? '-' : `${percent.toFixed(1)} %`,
      `${events} events`,
      ...(eventsPerSecond === null ? [] : [`${eventsPerSecond} events/s`]),
      ...(secondsLeft === null ? [] : [`${duration(secondsLeft)} left`]),
    ];
    this.#context.err(`\r${parts.join('  ')}\u001b[K`);
    this.#drawn = true;
  }
}

/** Such as `1:05:09` or `0:42`. */
function duration(seconds: number): string {
  const two = (value: number): string => value.toString().padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}
