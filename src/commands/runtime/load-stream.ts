/**
 * Loads as little of a stream as a decision needs: backwards to the latest boundary. The cost
 * depends on what came after it, not on the stream's length.
 */
import type { EventLog, StoredEvent } from '../../events/log/event-log.js';
import type { Recorded, StreamFold } from './decider.js';
import { LoadedStream } from './loaded-stream.js';

const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** Loads one stream of the log. */
export type LoadStream<State, Event> = (stream: string) => Promise<LoadedStream<State, Event>>;

/**
 * 1. Read backwards up to the boundary. Of events that a later one replaces only the command id
 *    is kept, so memory and time stay small also for a turn of very many lists.
 * 2. Fold what was kept, forwards. With no boundary in the readable part the fold starts from
 *    `initial` where the stream is whole, else from `incomplete`: nothing is guessed.
 *
 * @throws {UnavailableError} the log cannot be read
 */
export async function loadToBoundary<State, Event>(
  log: EventLog,
  fold: StreamFold<State, Event>,
  stream: string,
): Promise<LoadedStream<State, Event>> {
  const loaded = new LoadedStream(fold, fold.initial);
  const kept: Recorded<Event>[] = [];
  const replaced = new Set<string>();
  let oldest: StoredEvent | undefined;
  let found = false;
  for await (const stored of log.read(stream, { direction: 'backwards', limit: NO_LIMIT })) {
    loaded.revision ??= stored.revision;
    oldest = stored;
    const event = replaced.has(stored.type) ? undefined : fold.parse(stored);
    if (event !== undefined || replaced.has(stored.type)) {
      const commandId = fold.commandIdOf(stored);
      loaded.mention(commandId, stored.revision);
      const { revision, position } = stored;
      if (event !== undefined) kept.push({ event, commandId, revision, position });
    }
    if (event !== undefined && fold.replacesEarlier(event)) replaced.add(stored.type);
    found = fold.isBoundary(stored.type);
    if (found) break;
  }
  const whole = oldest === undefined || oldest.revision === 0n;
  if (!found && !whole) loaded.state = fold.incomplete;
  for (const { event, commandId, ...at } of kept.reverse()) loaded.evolve(event, commandId, at);
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
    // Another's event: the stream may go on, and its end is needed to append after it.
    return loaded.state === fold.initial ? loadToBoundary(log, fold, stream) : loaded;
  }
  return new LoadedStream(fold, fold.initial);
}
