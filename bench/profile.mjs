/**
 * Where the time of a write goes: runs a program under V8's sampling profiler while it takes
 * writes, and sums the samples of the main thread. `node bench/profile.mjs [inFlight] [program]`.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Loader } from './lib/loader.mjs';
import { startServer } from './lib/server.mjs';
import { openTurns, sessionIds, todosPath } from './lib/sessions.mjs';

const WARM_UP_SECONDS = 4;
const SECONDS = 10;

/** The first that fits the file of a frame, from the leaf upwards, owns the sample. */
const OWNERS = [
  [/^\(garbage collector\)/, 'garbage collection'],
  [/^\(idle\)/, 'idle'],
  [/src\/api\//, 'api'],
  [/src\/server\//, 'server (admission)'],
  [/src\/commands\/runtime\//, 'commands: runtime'],
  [/src\/commands\//, 'commands: session, lists'],
  [/src\/projections\/read-model\//, 'projections: read model'],
  [/src\/projections\//, 'projections: runner, fold'],
  [/src\/events\/log\/encode-events/, 'log: encode'],
  [/src\/events\/log\//, 'log: queue, tail, pull'],
  [/src\/events\//, 'events: parse'],
  [/bench\/bare\/store/, 'bare store'],
  [/bench\/bare\//, 'bare api'],
  [/@nestjs\/cqrs/, 'nest: command bus'],
  [/@nestjs\//, 'nest'],
  [/node_modules\/(@fastify|fastify|find-my-way|secure-json-parse|avvio)/, 'fastify'],
  [/node:internal\/(worker|per_context\/messageport)/, 'node: messages to the writer'],
  [/node:(_http|internal\/http|net|internal\/stream|internal\/streams)/, 'node: http, net'],
  [/node:/, 'node: other'],
  [/^\(program\)/, 'native, outside JavaScript'],
];

const inFlight = Number(process.argv[2] ?? 64);
const program = process.argv[3] ?? 'planlog';
const directory = mkdtempSync(join(tmpdir(), 'planlog-profile-'));
const loader = new Loader();
try {
  const nodeArgs = ['--cpu-prof', `--cpu-prof-dir=${directory}`];
  const server = await startServer(program, { nodeArgs });
  const sessions = sessionIds('p', inFlight);
  const { url } = server;
  const job = { url, method: 'PUT', paths: sessions.map(todosPath), turnId: 't1' };
  await openTurns(loader, server, sessions, 't1');
  await loader.measure('load', { ...job, seconds: WARM_UP_SECONDS });
  await openTurns(loader, server, sessions, 't2');
  const from = now();
  const cpu = server.cpuSeconds();
  const result = await loader.measure('load', { ...job, turnId: 't2', seconds: SECONDS });
  const to = now();
  const cpuMs = (server.cpuSeconds() - cpu) * 1000;
  await server.stop();
  const { requests, perSecond, p50, p99 } = result;
  console.log(
    `${program}, ${inFlight} in flight: ${perSecond.toFixed(0)} writes/s, ` +
      `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ` +
      `CPU of the whole process ${((cpuMs * 1000) / requests).toFixed(0)} µs a write`,
  );
  for (const file of readdirSync(directory)) report(file, from, to, requests);
} finally {
  loader.close();
  rmSync(directory, { recursive: true, force: true });
}

/** The clock that the profiler stamps its samples with, microseconds. */
function now() {
  return Number(process.hrtime.bigint() / 1000n);
}

function report(file, from, to, writes) {
  const profile = JSON.parse(readFileSync(join(directory, file), 'utf8'));
  const { byOwner, self, total, time } = sum(profile, from, to);
  const thread = profile.nodes.some(({ callFrame }) => /(writer|store)-worker/.test(callFrame.url));
  console.log(
    `\n== ${thread ? 'writer thread' : 'main thread'} (${(time / writes).toFixed(1)} µs a write)`,
  );
  print('by owner', byOwner, writes, 20);
  if (thread) return;
  print('self', self, writes, 45);
  print('with what it calls (our own functions)', total, writes, 60);
}

function print(title, sums, writes, limit) {
  console.log(`-- ${title}, µs a write`);
  const sorted = [...sums].sort((a, b) => b[1] - a[1]).slice(0, limit);
  for (const [name, time] of sorted) {
    console.log(`${(time / writes).toFixed(2).padStart(8)}  ${name}`);
  }
}

function sum({ nodes, samples, timeDeltas, startTime }, from, to) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map();
  for (const node of nodes) for (const child of node.children ?? []) parents.set(child, node.id);
  const byOwner = new Map();
  const self = new Map();
  const total = new Map();
  const add = (sums, name, by) => sums.set(name, (sums.get(name) ?? 0) + by);
  let at = startTime;
  let time = 0;
  samples.forEach((id, index) => {
    const took = timeDeltas[index];
    at += took;
    if (at < from || at > to) return;
    time += took;
    add(self, nameOf(byId.get(id)), took);
    const seen = new Set();
    let owner;
    for (let up = id; up !== undefined; up = parents.get(up)) {
      const node = byId.get(up);
      owner ??= ownerOf(node);
      const name = nameOf(node);
      if (/src\/|@nestjs|bench\/bare/.test(node.callFrame.url) && !seen.has(name)) {
        seen.add(name);
        add(total, name, took);
      }
    }
    add(byOwner, owner ?? 'other', took);
  });
  return { byOwner, self, total, time };
}

function ownerOf({ callFrame: { url, functionName } }) {
  const what = url === '' ? functionName : url;
  return OWNERS.find(([pattern]) => pattern.test(what))?.[1];
}

function nameOf({ callFrame: { functionName, url, lineNumber } }) {
  const short = url.replace(/^.*\/(node_modules|dist\/src|bench)\//, '');
  return `${functionName || '(anonymous)'} ${short}${url === '' ? '' : `:${lineNumber + 1}`}`;
}
