/**
 * Loads as little of a stream as a decision needs: backwards to the latest boundary. The cost
 * depends on what came after it, not on the stream's length.
 */
import type { EventLog, StoredEvent } from '../../events/log/event-log.js';
import type { StreamFold } from './decider.js';
import { LoadedStream } from './loaded-stream.js';

/** Events kept while searching backwards. When the boundary lies further back, its place is
 * remembered and the events are read again forwards, so that memory stays bounded. */
const KEEP = 64;
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** Loads one stream of the log. */
export type LoadStream<State, Event> = (stream: string) => Promise<LoadedStream<State, Event>>;

/**
 * Steps: read backwards up to the boundary, keeping the first few events; fold from the
 * boundary forwards. With no boundary in the readable part the fold starts from `initial`
 * where the stream is whole, else from `incomplete`: nothing is guessed.
 *
 * @throws {UnavailableError} the log cannot be read
 */
export async function loadToBoundary<State, Event>(
  log: EventLog,
  fold: StreamFold<State, Event>,
  stream: string,
): Promise<LoadedStream<State, Event>> {
  const kept: StoredEvent[] = [];
  let oldest: StoredEvent | undefined;
  let count = 0;
  let found = false;
  for await (const event of log.read(stream, { direction: 'backwards', limit: NO_LIMIT })) {
    oldest = event;
    count += 1;
    if (kept.length < KEEP) kept.push(event);
    found = fold.isBoundary(event.type);
    if (found) break;
  }
  const whole = oldest === undefined || oldest.revision === 0n;
  const loaded = new LoadedStream(fold, found || whole ? fold.initial : fold.incomplete);
  if (oldest === undefined) return loaded;
  if (count === kept.length) {
    for (const event of kept.reverse()) loaded.add(event);
    return loaded;
  }
  const forwards = log.read(stream, {
    direction: 'forwards',
    from: oldest.revision,
    limit: NO_LIMIT,
  });
  for await (const event of forwards) loaded.add(event);
  return loaded;
}

/**
 * Loads the first readable event alone, whatever follows. Its revision is where the stream
 * began, not where it is: fit for "was this stream ever used?" and for creating it.
 *
 * @throws {UnavailableError} the log cannot be read
 */
export async function loadFirstEvent<State, Event>(
  log: EventLog,
  fold: StreamFold<State, Event>,
  stream: string,
): Promise<LoadedStream<State, Event>> {
  for await (const event of log.read(stream, { direction: 'forwards', limit: 1 })) {
    const whole = event.revision === 0n;
    const loaded = new LoadedStream(fold, whole ? fold.initial : fold.incomplete);
    loaded.add(event);
    return loaded;
  }
  return new LoadedStream(fold, fold.initial);
}
