/**
 * Reads a stream lazily: small pages first, because most readers stop after a few events
 * (a command loads back to its turn's start), larger ones for those who go on.
 */
import type { ReadOptions, StoredEvent } from '../event-log.js';
import type { LogPages } from './log-pages.js';

const FIRST_PAGE = 16;
const LARGEST_PAGE = 500;
const PAGE_BYTES = 4 * 1024 * 1024;
const LAST_REVISION = 2n ** 63n - 1n;

/** @param pages called before every page, so that a log that was closed meanwhile can refuse */
export async function* readStream(
  pages: () => LogPages,
  stream: string,
  { direction, from, limit }: ReadOptions,
): AsyncGenerator<StoredEvent, void, undefined> {
  const step = direction === 'forwards' ? 1n : -1n;
  let next = from ?? LAST_REVISION;
  if (direction === 'forwards') next = from === undefined || from < 0n ? 0n : from;
  else if (next > LAST_REVISION) next = LAST_REVISION;
  let left = limit;
  let size = FIRST_PAGE;
  while (left > 0 && next >= 0n && next <= LAST_REVISION) {
    const bounds = { maxEvents: Math.min(size, left), maxBytes: PAGE_BYTES };
    const { events, end } = pages().ofStream(stream, direction, next, bounds);
    yield* events;
    const last = events.at(-1);
    if (end || last === undefined) return;
    left -= events.length;
    next = last.revision + step;
    size = Math.min(size * 4, LARGEST_PAGE);
    // A page is read synchronously: let others have their turn.
    await new Promise(setImmediate);
  }
}
