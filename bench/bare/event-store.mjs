/**
 * What the bare client does with an EventStoreDB: appends of the events that Planlog appends,
 * and a filtered subscription. Each job gets plain data and returns plain data.
 *
 * `compression: 'off'` is our setting: the client then says that it reads no gzip. Nothing else
 * of ours is in its way; `pull` is our side of a rebuild's read.
 */
import { randomUUID } from 'node:crypto';
import {
  EventStoreDBClient,
  NO_STREAM,
  START,
  jsonEvent,
  streamNameFilter,
} from '@eventstore/db-client';
import { quantile } from '../lib/stats.mjs';
import { makeTodos } from '../lib/todos.mjs';

const LISTS = 256;
const dist = (path) => import(new URL(`../../dist/src/${path}`, import.meta.url));

/** So many streams, one append in flight on each, each at the exact revision. */
export async function append({ url, compression, inFlight, seconds }) {
  const client = await connect(url, compression);
  const run = randomUUID();
  const latencies = [];
  const start = performance.now();
  const end = start + seconds * 1000;
  const lists = Array.from({ length: LISTS }, (_, seed) => makeTodos(seed));
  await Promise.all(
    Array.from({ length: inFlight }, async (_, index) => {
      let expectedRevision = NO_STREAM;
      for (let count = index; ; count += 1) {
        const sentAt = performance.now();
        if (sentAt >= end) return;
        const event = eventOf(`bench.${run}`, lists[count % LISTS]);
        const stored = await client.appendToStream(`bench${run}-${index}`, event, {
          expectedRevision,
        });
        expectedRevision = stored.nextExpectedRevision;
        const now = performance.now();
        if (now <= end) latencies.push(now - sentAt);
      }
    }),
  );
  await client.dispose();
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    failures: 0,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  };
}

/** Fills streams with lists. @returns where the log ended before */
export async function fill({ url, prefix, streams, events }) {
  const client = await connect(url, 'off');
  let from;
  for await (const { event } of client.readAll({
    direction: 'backwards',
    fromPosition: 'end',
    maxCount: 1,
  })) {
    from = { commit: String(event.position.commit), prepare: String(event.position.prepare) };
  }
  const each = events / streams;
  for (let stream = 0; stream < streams; stream += 1) {
    for (let at = 0; at < each; at += 500) {
      const count = Math.min(500, each - at);
      const some = Array.from({ length: count }, (_, index) =>
        eventOf(`default.${stream}`, makeTodos(at + index)),
      );
      await client.appendToStream(`${prefix}${stream}`, some, {
        expectedRevision: at === 0 ? NO_STREAM : BigInt(at - 1),
      });
    }
  }
  await client.dispose();
  return { from, failures: 0 };
}

/** Reads them by the client's own filtered subscription. */
export async function subscribe({ url, prefix, from, events }) {
  const client = await connect(url, 'off');
  const startedAt = performance.now();
  let seen = 0;
  let bytes = 0;
  await new Promise((resolve, reject) => {
    const subscription = client.subscribeToAll({
      fromPosition: from ? { commit: BigInt(from.commit), prepare: BigInt(from.prepare) } : START,
      filter: streamNameFilter({ prefixes: [prefix] }),
    });
    subscription.on('error', reject);
    subscription.on('data', ({ event }) => {
      bytes += event.data.todos.length + event.metadata.schemaVersion;
      seen += 1;
      if (seen === events) subscription.unsubscribe().then(resolve, reject);
    });
  });
  const seconds = (performance.now() - startedAt) / 1000;
  await client.dispose();
  return { perSecond: events / seconds, bytes, failures: 0 };
}

/** Reads them as a rebuild does. */
export async function pull({ url, prefix, from, events }) {
  const { openEsdbEventLog } = await dist('events/log/esdb/open-esdb-event-log.js');
  const { LOG_START } = await dist('events/log/position.js');
  const log = await openEsdbEventLog({ connectionString: url });
  const after = from ? { commit: BigInt(from.commit), prepare: BigInt(from.prepare) } : LOG_START;
  const startedAt = performance.now();
  const puller = log.pull({ prefix, after });
  let seen = 0;
  let bytes = 0;
  while (seen < events) {
    const batch = await puller.next();
    // As a fold does: it looks into each event.
    for (const { data, metadata } of batch.events) {
      bytes += data.todos.length + metadata.schemaVersion;
    }
    seen += batch.events.length;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  await puller.close();
  await log.close();
  return { perSecond: events / seconds, bytes, failures: 0 };
}

async function connect(url, compression) {
  const connectionName = `bench-${randomUUID()}`;
  if (compression === 'off') {
    const { acceptUncompressedOnly } = await dist('events/log/esdb/uncompressed-responses.js');
    acceptUncompressedOnly(connectionName);
  }
  const separator = url.includes('?') ? '&' : '?';
  return EventStoreDBClient.connectionString(`${url}${separator}connectionName=${connectionName}`);
}

function eventOf(correlationId, todos) {
  return jsonEvent({
    id: randomUUID(),
    type: 'todo/write',
    data: { turnId: 'turn', todos },
    metadata: {
      $correlationId: correlationId,
      $causationId: randomUUID(),
      schemaVersion: 1,
      actor: { kind: 'agent', subject: 'local' },
    },
  });
}
