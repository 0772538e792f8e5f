/**
 * Reads a stream lazily, by pages, each a call of its own that is over before its events are
 * handed out: whoever stops reading leaves nothing open. Small pages first, because most
 * readers stop after a few events.
 */
import { END, START } from '@eventstore/db-client';
import type { ReadOptions } from '../event-log.js';
import type { LogClient } from './log-client.js';
import { collectRead, type CollectedRead } from './read-call.js';
import type { RecordedEvent } from './recorded-event.js';

const FIRST_PAGE = 16;
const LARGEST_PAGE = 500;
const PAGE_BYTES = 4 * 1024 * 1024;
const LAST_REVISION = 2n ** 63n - 1n;

/** Runs one call on the client of the moment. */
export type WithClient = <T>(call: (client: LogClient) => Promise<T>) => Promise<T>;

export async function* readStream(
  withClient: WithClient,
  stream: string,
  { direction, from, limit }: ReadOptions,
  timeoutMs: number,
): AsyncGenerator<RecordedEvent, void, undefined> {
  const forwards = direction === 'forwards';
  let next = from;
  if (next !== undefined && next < 0n) {
    if (!forwards) return;
    next = undefined;
  }
  if (next !== undefined && next > LAST_REVISION) {
    if (forwards) return;
    next = undefined;
  }
  let left = limit;
  let size = FIRST_PAGE;
  while (left > 0) {
    const count = Math.min(size, left);
    const at = next;
    const page = await withClient((client) =>
      readPage(client, stream, direction, at, count, timeoutMs),
    );
    if (page === undefined) return;
    for (const event of page.events) {
      // A server may begin elsewhere than asked (eventstoredb.md 0a, "truncated revision").
      if (at === undefined || (forwards ? event.revision >= at : event.revision <= at)) yield event;
    }
    const last = page.events.at(-1);
    if (last === undefined || (!page.cut && page.events.length < count)) return;
    left -= page.events.length;
    next = last.revision + (forwards ? 1n : -1n);
    if (next < 0n || next > LAST_REVISION) return;
    size = Math.min(size * 4, LARGEST_PAGE);
  }
}

function readPage(
  client: LogClient,
  stream: string,
  direction: ReadOptions['direction'],
  from: bigint | undefined,
  maxCount: number,
  timeoutMs: number,
): Promise<CollectedRead | undefined> {
  const end: typeof START | typeof END = direction === 'forwards' ? START : END;
  const options = { direction, fromRevision: from ?? end, maxCount, requiresLeader: true };
  return collectRead(
    client,
    (tap) => client.readStream(stream, options, tap),
    `read the stream ${stream}`,
    { maxBytes: PAGE_BYTES, timeoutMs },
  );
}

/** The last event of a stream that can be read. */
export async function lastOf(
  withClient: WithClient,
  stream: string,
  timeoutMs: number,
): Promise<RecordedEvent | undefined> {
  const options = { direction: 'backwards', limit: 1 } as const;
  for await (const event of readStream(withClient, stream, options, timeoutMs)) return event;
  return undefined;
}

/** The last event of the whole log, whatever stream it is in. */
export async function lastOfLog(
  client: LogClient,
  timeoutMs: number,
): Promise<RecordedEvent | undefined> {
  const options = {
    direction: 'backwards',
    fromPosition: END,
    maxCount: 1,
    requiresLeader: true,
  } as const;
  const read = await collectRead(client, (tap) => client.readAll(options, tap), 'read $all', {
    maxBytes: PAGE_BYTES,
    timeoutMs,
  });
  return read?.events[0];
}
