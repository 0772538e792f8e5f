/**
 * Planlog on EventStoreDB against the bare client, everything on one machine: the server that
 * EVENTSTORE_URL names, or the stand-in in a process of its own.
 */
import { randomUUID } from 'node:crypto';
import { startEventStore } from '../lib/event-store.mjs';
import { Loader } from '../lib/loader.mjs';
import { table } from '../lib/report.mjs';
import { alternate, row } from '../lib/rounds.mjs';
import { startServer } from '../lib/server.mjs';
import { openTurns, sessionIds, todosPath } from '../lib/sessions.mjs';

export const title = 'on EventStoreDB';

const IN_FLIGHT = 64;
const FOLLOWED = 200;
const WRITES_A_SECOND = 200;
const WRITERS = ['planlog', 'shipped', 'ours'];
const READERS = ['planlog', 'bare'];
const MS = { digits: 2 };

export async function run(extent) {
  const eventStore = await startEventStore();
  const loader = new Loader();
  const client = new Loader(new URL('../bare/event-store-worker.mjs', import.meta.url));
  const { url } = eventStore;
  let planlog;
  try {
    planlog = await startServer('planlog', { env: { EVENTSTORE_URL: url } });
    const parts = { url, planlog, loader, client, extent, mark: randomUUID().slice(0, 8) };
    const writes = await measureWrites(parts);
    const frames = await measureFrames(parts);
    const reads = await measureReads(parts);
    return [
      `On ${eventStore.what}.`,
      `Durable writes a second of a list of 8 items, ${IN_FLIGHT} in flight: over HTTP with the ` +
        'projection kept, against bare appends at exact revisions. Goals: at least 1.00 of the ' +
        'client as shipped, 0.55 of the client with our setting (no gzip).',
      table(writerHeader(), [
        row('writes a second', writes, ({ perSecond }) => perSecond, { names: WRITERS }),
        row('p50, ms', writes, ({ p50 }) => p50, { ...MS, names: WRITERS }),
        row('p99, ms', writes, ({ p99 }) => p99, { ...MS, names: WRITERS }),
      ]),
      table(
        ['', 'Planlog'],
        [
          ['last receipt to its view, ms', ...medians(writes.planlog, ({ behindMs }) => behindMs)],
          ['CPU of the server for one write, µs', ...medians(writes.planlog, ({ cpuUs }) => cpuUs)],
        ],
      ),
      "A rebuild's read, events a second, against the client's filtered subscription with our " +
        'setting; both look into each event. Goal: at least 0.85.',
      table(
        ['', 'Planlog', 'bare client', 'ratio'],
        [row('events a second', reads, ({ perSecond }) => perSecond, { names: READERS })],
      ),
      `${FOLLOWED} streams, one for each session, ${WRITES_A_SECOND} writes a second: ` +
        'milliseconds from the receipt, or from the request, to the SSE frame.',
      table(
        ['', 'Planlog'],
        [
          ['receipt to frame, p50', ...medians(frames.planlog, ({ p50 }) => p50)],
          ['receipt to frame, p99', ...medians(frames.planlog, ({ p99 }) => p99)],
          ['request to frame, p50', ...medians(frames.planlog, ({ requestP50 }) => requestP50)],
          ['request to frame, p99', ...medians(frames.planlog, ({ requestP99 }) => requestP99)],
        ],
      ),
    ].join('\n\n');
  } finally {
    loader.close();
    client.close();
    await planlog?.stop();
    await eventStore.stop();
  }
}

async function measureWrites({ url, planlog, loader, client, extent, mark }) {
  const sessions = sessionIds(`w-${mark}`, IN_FLIGHT);
  const bare = (name, seconds) =>
    client.measure('append', {
      url,
      compression: name === 'ours' ? 'off' : 'gzip',
      inFlight: IN_FLIGHT,
      seconds,
    });
  const written = async (turnId, seconds) => {
    await openTurns(loader, planlog, sessions, turnId);
    const before = planlog.cpuSeconds();
    const paths = sessions.map(todosPath);
    const job = { url: planlog.url, method: 'PUT', paths, turnId, seconds };
    const result = await loader.measure('load', job);
    const cpuUs = ((planlog.cpuSeconds() - before) * 1e6) / result.requests;
    return { ...result, cpuUs, behindMs: await behind({ planlog, loader }, sessions[0], turnId) };
  };
  const measure = (name, turnId, seconds) =>
    name === 'planlog' ? written(turnId, seconds) : bare(name, seconds);
  for (const name of WRITERS) await measure(name, 'warm-up', extent.warmUpSeconds);
  return alternate(
    extent.rounds,
    (name, round) => measure(name, `turn-${round}`, extent.seconds),
    WRITERS,
  );
}

/** How long the view takes to show a write: the projection's backlog, if it has one. */
async function behind({ planlog, loader }, session, turnId) {
  const path = todosPath(session);
  const body = JSON.stringify({ turnId, todos: [] });
  const { url } = planlog;
  const [written] = await loader.run('each', { url, requests: [{ method: 'PUT', path, body }] });
  const { position } = JSON.parse(written.body);
  const read = { method: 'GET', path: `${path}?after=${position}&timeoutMs=30000` };
  const [view] = await loader.run('each', { url, requests: [read] });
  if (view.status !== 200) throw new Error(`the projection was not kept: ${view.body}`);
  return view.ms;
}

function measureFrames({ planlog, loader, extent, mark }) {
  const sessions = sessionIds(`f-${mark}`, FOLLOWED);
  return alternate(
    extent.rounds,
    async (_, round) => {
      const turnId = `turn-${round}`;
      await openTurns(loader, planlog, sessions, turnId);
      return loader.measure('follow', {
        url: planlog.url,
        sessions,
        turnId,
        perSecond: WRITES_A_SECOND,
        seconds: extent.seconds,
        warmUpSeconds: extent.warmUpSeconds / 2,
      });
    },
    ['planlog'],
  );
}

async function measureReads({ url, client, extent, mark }) {
  const events = extent.quick ? 20_000 : 60_000;
  const prefix = `benchRead${mark}-`;
  const { from } = await client.run('fill', { url, prefix, streams: 20, events });
  const jobs = { planlog: 'pull', bare: 'subscribe' };
  const measure = (name) => client.measure(jobs[name], { url, prefix, from, events });
  for (const name of READERS) await measure(name);
  return alternate(extent.rounds, measure, READERS);
}

function writerHeader() {
  const sides = ['Planlog', 'client as shipped', 'client with our setting'];
  return ['', ...sides, 'ratio to as shipped', 'ratio to our setting'];
}

function medians(results, value) {
  const sorted = results.map(value).sort((a, b) => a - b);
  return [sorted[Math.floor(sorted.length / 2)].toFixed(2)];
}
