/**
 * Drives one consumer along the log: pull a batch, have it committed, pull the next. Whatever
 * ends a pull, another is opened from the checkpoint; there is never more than one.
 */
import {
  catchError,
  concatMap,
  concatWith,
  defer,
  EMPTY,
  finalize,
  firstValueFrom,
  lastValueFrom,
  map,
  merge,
  of,
  race,
  repeat,
  retry,
  Subject,
  take,
  takeUntil,
  takeWhile,
  throwError,
  type Observable,
  type Subscription,
} from 'rxjs';
import type { EventPuller, PulledBatch } from '../../events/log/event-log.js';
import {
  comparePositions,
  laterPosition,
  LOG_START,
  type Position,
} from '../../events/log/position.js';
import { backoffDelay, DEFAULT_BACKOFF } from './backoff.js';
import { advance, startOf, verifyCheckpoint, type Checkpoint } from './checkpoint.js';
import { closedAfterwards, closePuller, CLOSE_MS } from './close-puller.js';
import { systemClock, wait, type Clock } from './clock.js';
import type { Consumer, FollowedLog, RunnerOptions } from './consumer.js';
import { Gathering } from './gathering.js';
import { isFinal, PullEndedError } from './runner-failures.js';
import { RunnerProgress, type RunnerStatus } from './runner-progress.js';
import { Watchdog, WatchdogTripped } from './watchdog.js';

/** How often a checkpoint without events is made durable: losing one loses nothing. */
const IDLE_PERSIST_MS = 1_000;
const NOTHING = { defaultValue: undefined };
/** A pull that lived this long was a good one: the next failure is the first again. */
const STEADY_MS = 60_000;

export class Runner {
  readonly #log: FollowedLog;
  readonly #consumer: Consumer;
  readonly #options: RunnerOptions;
  readonly #clock: Clock;
  readonly #watchdog: Watchdog;
  readonly #gathering: Gathering;
  readonly #progress: RunnerProgress;
  readonly #abort = new AbortController();
  /** Ends a wait between two pulls. */
  readonly #wake = new Subject<void>();
  readonly #ended = new Subject<void>();
  readonly #rested = new Subject<void>();
  readonly #resumed = new Subject<void>();
  #paused = false;
  /** To come to rest, even where it is resumed before it does. */
  #pausing = false;
  /** Paused, and nothing is in hand. */
  #atRest = false;
  #subscription: Subscription | undefined;
  #puller: EventPuller | undefined;
  #checkpoint: Checkpoint | undefined;
  #persistedAt = 0;
  #persisted = true;
  #waitingSince: number | undefined;
  #openedAt = 0;
  #failures = 0;
  /** While stopping: where to stop at the latest; undefined: at once. */
  #stopAt: { readonly position: Position | undefined } | undefined;
  #stop: Promise<void> | undefined;

  constructor(log: FollowedLog, consumer: Consumer, options: RunnerOptions = {}) {
    this.#log = log;
    this.#consumer = consumer;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#watchdog = new Watchdog(this.#clock, () => log.head(), options.silenceMs ?? 30_000);
    this.#gathering = new Gathering(this.#clock, options.gatherMs ?? 0);
    this.#progress = new RunnerProgress(this.#clock);
  }

  /** Everything up to here is handled; undefined before the log was reached. */
  get position(): Position | undefined {
    return this.#checkpoint?.position;
  }

  /** Settles when the log's head was reached for the first time; rejects if it never will be. */
  caughtUp(): Promise<void> {
    return this.#progress.caughtUp;
  }

  /** @param head where the log ends; undefined where that is not known */
  status(head: Position | undefined): RunnerStatus {
    return this.#progress.status(this.position, head);
  }

  /** Starts pulling, in the background. Once only. */
  start(): void {
    if (this.#subscription || this.#stop) return;
    this.#progress.started();
    this.#subscription = this.#run().subscribe({
      error: (error: unknown) => {
        this.#progress.stopped(error);
        this.#report('stopped, until it is restored or rebuilt', error);
        this.#consumer.refused?.(error);
        this.#ended.complete();
      },
      complete: () => {
        this.#progress.stopped();
        this.#ended.complete();
      },
    });
  }

  /** Somebody has begun to wait for what is not handled yet. */
  hurry(): void {
    this.#gathering.end();
  }

  /**
   * Finishes the batch in hand and closes the pull; then nothing is committed until
   * {@link resume}. Before the start: it starts paused. May be called again.
   */
  async pause(): Promise<void> {
    this.#paused = true;
    this.#progress.paused();
    if (this.#atRest) return;
    this.#pausing = true;
    if (!this.#subscription || this.#progress.state === 'stopped') return;
    const rested = this.#endOr(this.#rested);
    this.#wake.next();
    this.#gathering.end();
    await this.#closePull();
    await rested;
  }

  /** Goes on from the checkpoint, after a look at whether the log is still the same. */
  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#progress.resumed();
    this.#resumed.next();
  }

  /**
   * Finishes the batch in hand, goes on to where the log ends now if there is time, and closes
   * the pull. Nothing is half applied. May be called again.
   *
   * @param deadlineMs after this long it stops after the batch in hand, milliseconds
   */
  stop(deadlineMs: number): Promise<void> {
    return (this.#stop ??= this.#drain(deadlineMs));
  }

  #run(): Observable<unknown> {
    return defer(() => this.#locate()).pipe(
      concatMap((from) => this.#follow(from)),
      retry({ delay: (error: unknown) => this.#recover(error) }),
      repeat({ delay: () => this.#whenResumed() }),
    );
  }

  /** A run ends only to rest or to stop. Emits when it goes on; completes where it is over. */
  #whenResumed(): Observable<unknown> {
    if (this.#stopAt) return EMPTY;
    this.#pausing = false;
    this.#atRest = this.#paused;
    this.#rested.next();
    // Resumed before the run came to rest.
    if (!this.#atRest) return of(undefined);
    return this.#resumed.pipe(
      take(1),
      takeUntil(this.#wake),
      finalize(() => (this.#atRest = false)),
    );
  }

  /** Where to pull from, after a look at whether the log is still the same. */
  async #locate(): Promise<Checkpoint> {
    const stored = await this.#consumer.checkpoint();
    const known = this.#checkpoint;
    // A commit that failed on its way back may have been done.
    const from =
      known && stored && isAfter(known.position, stored.position) ? known : (stored ?? known);
    if (from) await verifyCheckpoint(from, this.#log);
    return from ?? startOf(await this.#log.logId());
  }

  /** One pull, to its end. */
  #follow(from: Checkpoint): Observable<unknown> {
    this.#moveTo(from);
    if (this.#pausing) return EMPTY;
    const { prefix } = this.#consumer;
    const { maxEvents } = this.#options;
    const after = from.position;
    const puller = this.#log.pull({ prefix, after, ...(maxEvents ? { maxEvents } : {}) });
    this.#puller = puller;
    this.#openedAt = this.#clock.now();
    this.#waitingSince = undefined;
    // One batch at a time: the next is asked for when the last is committed (faults.md B7).
    return defer(() => this.#next(puller)).pipe(
      concatMap((batch) => this.#commit(batch)),
      repeat(),
      takeWhile((more) => more),
      takeUntil(this.#watchdog.watch(() => this.#pulse())),
      closedAfterwards(puller, this.#clock),
    );
  }

  async #next(puller: EventPuller): Promise<PulledBatch | undefined> {
    if (this.#pausing || this.#isDrained()) return undefined;
    if (this.#consumer.isAwaited?.() !== true) await this.#gathering.over();
    this.#progress.waiting();
    this.#waitingSince = this.#clock.now();
    try {
      return await puller.next();
    } finally {
      // A pull that was given up may settle late.
      if (this.#puller === puller) this.#waitingSince = undefined;
    }
  }

  /** @returns whether to go on */
  async #commit(batch: PulledBatch | undefined): Promise<boolean> {
    if (batch === undefined) {
      if (this.#stopAt || this.#pausing) return false;
      // Servers end a subscription without an error (faults.md A8).
      throw new PullEndedError('the log ended the pull');
    }
    const before = this.#checkpoint;
    if (before === undefined) return false;
    // Delivered twice changes nothing.
    const events = batch.events.filter(({ position }) => isAfter(position, before.position));
    const last = events.at(-1);
    const seen = last ? laterPosition(batch.checkpoint, last.position) : batch.checkpoint;
    const after = advance(before, seen, last);
    const now = this.#clock.now();
    if (last || (after !== before && now - this.#persistedAt >= IDLE_PERSIST_MS)) {
      await this.#consumer.commit(events, after, this.#abort.signal);
      this.#persistedAt = now;
      this.#persisted = true;
      this.#failures = 0;
    } else if (after !== before) {
      this.#persisted = false;
    }
    this.#moveTo(after);
    // Who is behind does not wait for more.
    if (batch.caughtUp && last && !this.#stopAt && !this.#pausing) this.#gathering.begin();
    this.#progress.committed(last?.created, batch.caughtUp);
    return !this.#pausing && !this.#isDrained();
  }

  #moveTo(checkpoint: Checkpoint): void {
    this.#checkpoint = checkpoint;
    this.#consumer.reached(checkpoint.position);
  }

  /** Emits when another pull is to be opened; completes when none is. */
  #recover(error: unknown): Observable<unknown> {
    if (this.#stopAt) return EMPTY;
    if (error instanceof WatchdogTripped) {
      this.#progress.woken();
      return of(undefined);
    }
    if (isFinal(error)) return throwError(() => error);
    if (this.#pausing) return EMPTY;
    const lived = this.#clock.now() - this.#openedAt;
    this.#failures = lived >= STEADY_MS ? 1 : this.#failures + 1;
    this.#progress.lost(error);
    const delay = backoffDelay(this.#options.backoff ?? DEFAULT_BACKOFF, this.#failures);
    this.#report(`will pull again in ${Math.round(delay)} ms`, error);
    return wait(this.#clock, delay).pipe(takeUntil(this.#wake));
  }

  async #drain(deadlineMs: number): Promise<void> {
    if (this.#subscription && this.#progress.state !== 'stopped') {
      const until = this.#clock.now() + deadlineMs;
      const deadline = defer(() => wait(this.#clock, Math.max(0, until - this.#clock.now())));
      const head = defer(() => this.#log.head()).pipe(catchError(() => of(undefined)));
      const last = race(head, deadline.pipe(map(() => undefined)));
      this.#stopAt = { position: this.#paused ? undefined : await firstValueFrom(last) };
      this.#wake.next();
      this.#gathering.end();
      if (this.#isDrained()) await this.#closePull();
      await this.#endOr(deadline);
      this.#stopAt = { position: undefined };
      this.#abort.abort();
      await this.#closePull();
      await this.#endOr(wait(this.#clock, CLOSE_MS));
      this.#subscription.unsubscribe();
      this.#progress.stopped();
    }
    if (this.#checkpoint && !this.#persisted) {
      await this.#consumer
        .commit([], this.#checkpoint, this.#abort.signal)
        .catch((error: unknown) => {
          this.#report('could not keep its last checkpoint; nothing is lost', error);
        });
    }
  }

  async #closePull(): Promise<void> {
    if (this.#puller) await lastValueFrom(closePuller(this.#puller, this.#clock), NOTHING);
  }

  #endOr(deadline: Observable<unknown>): Promise<unknown> {
    return firstValueFrom(merge(this.#ended.pipe(concatWith(of(undefined))), deadline));
  }

  #isDrained(): boolean {
    if (!this.#stopAt) return false;
    const { position } = this.#stopAt;
    return (
      position === undefined || !this.#checkpoint || !isAfter(position, this.#checkpoint.position)
    );
  }

  #pulse(): { waitingSince: number | undefined; position: Position } {
    const position = this.#checkpoint?.position ?? LOG_START;
    return { waitingSince: this.#waitingSince, position };
  }

  #report(message: string, error: unknown): void {
    this.#options.report?.(`${this.#consumer.name}: ${message}`, error);
  }
}

function isAfter(a: Position, b: Position): boolean {
  return comparePositions(a, b) > 0;
}
