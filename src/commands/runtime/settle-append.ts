/**
 * Appends, and finds out what came of an append whose outcome is unknown. A new decision is
 * never made while the old one may still be stored.
 */
import {
  ConflictError,
  EventLogError,
  OutcomeUnknownError,
  UnavailableError,
} from '../../events/log/errors.js';
import type {
  EventLog,
  ExpectedRevision,
  NewEvent,
  StoredEvent,
} from '../../events/log/event-log.js';
import { CommandFailedError } from './command-failed.js';
import type { Placement } from './decider.js';
import { backoff, type Timing } from './timing.js';

/** First and longest wait between two tries, in milliseconds. */
const RETRY_BASE = 50;
const RETRY_CAP = 1_000;

/** Where the last event lies, or undefined: these events are not stored and never will be. */
export type Settled = Placement | undefined;

/**
 * 1. Append. Done, or a conflict, or the store is unavailable: that is the answer.
 * 2. Outcome unknown at expected revision N: read N+1. Our event id: done. Another's: not
 *    stored, decide again. Nothing: send the same events, ids and revision once more.
 * 3. Where neither is possible, wait and do 2 again, until `settleMs` have passed.
 *
 * @throws {CommandFailedError} `store_unavailable` or `overloaded`: nothing was stored;
 * `outcome_unknown`: the log stayed unreachable
 */
export async function appendAndSettle(
  log: EventLog,
  append: {
    readonly stream: string;
    readonly expected: ExpectedRevision;
    readonly events: readonly NewEvent[];
  },
  timing: Timing,
  settleMs: number,
): Promise<Settled> {
  const { stream, expected, events } = append;
  try {
    return await log.append(stream, expected, events);
  } catch (error) {
    if (error instanceof ConflictError) return undefined;
    if (!(error instanceof OutcomeUnknownError)) throw asFailure(error);
  }
  const deadline = timing.now() + settleMs;
  for (let attempt = 0; ; attempt += 1) {
    try {
      const found = await findAppended(log, stream, expected, events);
      if (found !== 'nothing') return found === 'other' ? undefined : found;
      return await log.append(stream, expected, events);
    } catch (error) {
      if (error instanceof ConflictError) return undefined;
      if (!(error instanceof EventLogError)) throw error;
      if (timing.now() >= deadline || isOver(error)) {
        throw new CommandFailedError(
          'outcome_unknown',
          'the event log did not say whether the command was stored; send it again with the same key',
          { cause: error },
        );
      }
      await backoff(timing, attempt, RETRY_BASE, RETRY_CAP);
    }
  }
}

/** What lies where the events would be: themselves, another's events, or nothing. */
async function findAppended(
  log: EventLog,
  stream: string,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
): Promise<Placement | 'other' | 'nothing'> {
  const from = expected === 'no_stream' ? 0n : expected + 1n;
  const found: StoredEvent[] = [];
  for await (const event of log.read(stream, {
    direction: 'forwards',
    from,
    limit: events.length,
  })) {
    found.push(event);
  }
  const first = found[0];
  // A read from past the end may return the event before it: compare what came back.
  if (first === undefined || first.revision < from) return 'nothing';
  const ours =
    found.length === events.length &&
    found.every((event, i) => event.id === events[i]?.id && event.revision === from + BigInt(i));
  const last = found.at(-1);
  return ours && last !== undefined ? last : 'other';
}

/** An error of the log as the failure that a caller of commands sees. */
export function asFailure(error: unknown): unknown {
  if (!(error instanceof EventLogError)) return error;
  if (error.code !== 'unavailable') return error;
  const overloaded = 'reason' in error && error.reason === 'overloaded';
  return overloaded
    ? new CommandFailedError('overloaded', 'the event log is overloaded; try again soon', {
        cause: error,
      })
    : new CommandFailedError('store_unavailable', 'the event log cannot be reached; try again', {
        cause: error,
      });
}

/** A log that was closed or has failed for good will not tell later either. */
function isOver(error: EventLogError): boolean {
  return (
    error instanceof UnavailableError && (error.reason === 'closed' || error.reason === 'failed')
  );
}
