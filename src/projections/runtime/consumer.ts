/** The seam between the runner and what it drives: a projection, a reaction, later a rebuild. */
import type { EventLog, StoredEvent } from '../../events/log/event-log.js';
import type { Position } from '../../events/log/position.js';
import type { Backoff } from './backoff.js';
import type { Checkpoint } from './checkpoint.js';
import type { Clock } from './clock.js';

/** What a runner needs of a log: it writes nothing. */
export type FollowedLog = Pick<EventLog, 'read' | 'pull' | 'head' | 'logId' | 'lastEventsStay'>;

/** What a runner drives. */
export interface Consumer {
  readonly name: string;
  /** Only events of streams whose name starts with this are pulled. */
  readonly prefix: string;
  /** Where it stands, as committed; undefined before its first commit. */
  checkpoint(): Promise<Checkpoint | undefined>;
  /**
   * Handles the events and makes the checkpoint durable with them. A rejection is tried again:
   * events come again from the checkpoint on.
   *
   * @param signal aborts when the process can wait no longer
   */
  commit(
    events: readonly StoredEvent[],
    checkpoint: Checkpoint,
    signal: AbortSignal,
  ): Promise<void>;
  /** Everything up to here is handled. Called after each batch, also for one without events. */
  reached(position: Position): void;
  /** Does somebody wait for what is not handled yet? Then batches do not gather. */
  isAwaited?(): boolean;
  /** It has stopped for good, for a reason that a person has to mend. */
  refused?(reason: unknown): void;
}

export interface RunnerOptions {
  readonly clock?: Clock;
  readonly backoff?: Backoff;
  /** The most events in one batch: the window between pulled and handled. */
  readonly maxEvents?: number;
  /** How long events of a busy log gather before they are committed, milliseconds: no event waits
   * longer for its batch, one that comes alone does not wait. Default 0. */
  readonly gatherMs?: number;
  /** How long nothing may be heard while the log moves on, milliseconds. Default 30,000. */
  readonly silenceMs?: number;
  /** Told of each failure, one by one, with what the runner does about it. */
  readonly report?: (message: string, error: unknown) => void;
}
