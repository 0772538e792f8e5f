/**
 * Where a consumer of the log stands, and the proof that the log it comes back to is the one
 * it left.
 */
import { z } from 'zod';
import type { EventLog, StoredEvent } from '../../events/log/event-log.js';
import {
  comparePositions,
  formatPosition,
  LOG_START,
  parsePosition,
  type Position,
} from '../../events/log/position.js';

/** The last event that was handled: what the identity check looks for. */
export interface CheckpointEvent {
  readonly stream: string;
  readonly revision: bigint;
  readonly id: string;
}

/** A place in one log. */
export interface Checkpoint {
  /** A place in the whole log, never in a stream: mixing the two fails (faults.md C 26). */
  readonly kind: 'log';
  /** The log the position belongs to. */
  readonly logId: string;
  /** Everything up to here has been handled. Commit and prepare both (faults.md C 1). */
  readonly position: Position;
  /** Null until the first event was handled. */
  readonly event: CheckpointEvent | null;
}

/** What the check asks of a log. */
type CheckedLog = Pick<EventLog, 'read' | 'head' | 'logId' | 'lastEventsStay'>;

/** Why a checkpoint does not fit the log. */
export type CheckpointFault = 'other_log' | 'different_event' | 'beyond_head';

/**
 * The log is not the one that the checkpoint was taken from, or was set back behind it. Going
 * on would show a mixture of two histories, so the consumer refuses to run.
 */
export class CheckpointMismatchError extends Error {
  readonly code = 'checkpoint_mismatch';
  override readonly name = 'CheckpointMismatchError';

  constructor(
    readonly fault: CheckpointFault,
    what: string,
  ) {
    super(
      `${what}; restore or rebuild: put back the log it belongs to, or rebuild the projection from this one`,
    );
  }
}

const revision = z.string().regex(/^(0|[1-9][0-9]{0,19})$/);

const stored = z.object({
  kind: z.literal('log'),
  logId: z.string().min(1),
  position: z.string(),
  event: z.object({ stream: z.string(), revision, id: z.string() }).nullable(),
});

/** The checkpoint as text: some 400 bytes at most, whatever was handled (faults.md C 14). */
export function formatCheckpoint(checkpoint: Checkpoint): string {
  const { kind, logId, event } = checkpoint;
  const position = formatPosition(checkpoint.position);
  return JSON.stringify({
    kind,
    logId,
    position,
    event: event && { stream: event.stream, revision: event.revision.toString(), id: event.id },
  });
}

/** The checkpoint a text stands for; undefined when it is none, or one of another kind. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  const parsed = stored.safeParse(json);
  if (!parsed.success) return undefined;
  const { kind, logId, event } = parsed.data;
  const position = parsePosition(parsed.data.position);
  if (position === undefined) return undefined;
  return { kind, logId, position, event: event && { ...event, revision: BigInt(event.revision) } };
}

/** The checkpoint of a consumer that has seen nothing of a log yet. */
export function startOf(logId: string): Checkpoint {
  return { kind: 'log', logId, position: LOG_START, event: null };
}

/**
 * The checkpoint after a batch. It never goes back, whatever the source says (faults.md C 2).
 *
 * @param last the batch's last event; undefined where it had none
 */
export function advance(
  from: Checkpoint,
  position: Position,
  last: StoredEvent | undefined,
): Checkpoint {
  if (comparePositions(position, from.position) <= 0) return from;
  const event = last ? { stream: last.stream, revision: last.revision, id: last.id } : from.event;
  return { kind: 'log', logId: from.logId, position, event };
}

/**
 * Checks that a checkpoint was taken from this log. An event that is gone (truncated,
 * scavenged) proves nothing and is no fault.
 *
 * @throws {CheckpointMismatchError}
 * @throws {UnavailableError} the log cannot say
 */
export async function verifyCheckpoint(checkpoint: Checkpoint, log: CheckedLog): Promise<void> {
  const logId = await log.logId();
  if (logId !== checkpoint.logId) {
    throw new CheckpointMismatchError(
      'other_log',
      `the checkpoint belongs to log ${checkpoint.logId}, this is log ${logId}`,
    );
  }
  // A server says nothing about a position beyond its end and just goes live.
  const head = await log.head();
  if (comparePositions(checkpoint.position, head) > 0) {
    throw new CheckpointMismatchError(
      'beyond_head',
      `the checkpoint ${formatPosition(checkpoint.position)} lies beyond ` +
        `the log's head ${formatPosition(head)}`,
    );
  }
  const { event } = checkpoint;
  if (event === null) return;
  const { stream, revision: at, id } = event;
  for await (const found of log.read(stream, { direction: 'forwards', from: at, limit: 1 })) {
    if (found.revision === at && found.id !== id) {
      throw new CheckpointMismatchError(
        'different_event',
        `the log holds another event at revision ${at.toString()} of ${stream} ` +
          'than the one that was projected',
      );
    }
    return;
  }
  // Nothing at or after it. Truncation leaves a stream's last event, so a stream that ends before
  // the event is an older copy; one with no events at all may have been deleted by an operator.
  const ends = log.lastEventsStay === true || (await hasEvents(log, stream));
  if (ends) {
    throw new CheckpointMismatchError(
      'different_event',
      `${stream} ends before revision ${at.toString()}, which was projected`,
    );
  }
}

async function hasEvents(log: CheckedLog, stream: string): Promise<boolean> {
  const last = log.read(stream, { direction: 'backwards', limit: 1 })[Symbol.asyncIterator]();
  const { done } = await last.next();
  await last.return?.();
  return done !== true;
}
