/**
 * One write at a time, to sessions of several lengths. Cold: the first write to a session after
 * a restart, in a process that has written others. Warm: the writes that follow it.
 */
import { alternate, HEADER, NAMES, row } from '../lib/rounds.mjs';
import { table } from '../lib/report.mjs';
import { Loader } from '../lib/loader.mjs';
import { seedBare, seedPlanlog } from '../lib/seed.mjs';
import { makeDataDir, removeDataDir, startServer } from '../lib/server.mjs';
import { median } from '../lib/stats.mjs';
import { openTurns, sessionIds, todosPath } from '../lib/sessions.mjs';
import { makeTodos } from '../lib/todos.mjs';

export const title = 'latency of a write by the length of its session';

/** Events in a session, how many such sessions a round writes to, and warm writes to each. */
const LENGTHS = [
  { events: 10, sessions: 8, warm: 5 },
  { events: 1_000, sessions: 3, warm: 12 },
  { events: 100_000, sessions: 1, warm: 30 },
];
const QUICK_LENGTHS = LENGTHS.map((length) => ({
  ...length,
  events: Math.min(length.events, 10_000),
}));
const SHAPES = ['turns', 'turn'];
const LABELS = { turns: 'as many turns', turn: 'as one turn' };
const WARM_UP_SECONDS = 2;

export async function run(extent) {
  const lengths = extent.quick ? QUICK_LENGTHS : LENGTHS;
  const directories = Object.fromEntries(NAMES.map((name) => [name, makeDataDir()]));
  const loader = new Loader();
  try {
    const targets = targetsOf(lengths, extent.rounds);
    await seedPlanlog(directories.planlog, targets);
    for (const name of NAMES.slice(1)) await seedBare(directories[name], targets);
    await catchUp(directories.planlog, loader, targets);
    const results = await alternate(extent.rounds, (name, round) =>
      measure(name, directories[name], loader, targets, round),
    );
    const rows = [];
    for (const kind of ['cold', 'warm']) {
      for (const { events } of lengths) {
        for (const shape of SHAPES) {
          const key = `${kind} ${events} ${shape}`;
          const label = `${kind}, ${events.toLocaleString('en')} events ${LABELS[shape]}`;
          rows.push(row(label, results, (result) => result[key], { digits: 2 }));
        }
      }
    }
    return [
      'Milliseconds from request to receipt, one write at a time, p50 (lower is better). The bare ' +
        'programs have no turns and check nothing: they only look up where the stream ends. A ' +
        'turn of "many turns" holds three writes.',
      table(HEADER, rows),
    ].join('\n\n');
  } finally {
    loader.close();
    for (const directory of Object.values(directories)) removeDataDir(directory);
  }
}

/** Short sessions are fresh in each round; the longest is written to in all of them. */
function targetsOf(lengths, rounds) {
  const targets = [];
  for (const { events, sessions, warm } of lengths) {
    for (const shape of SHAPES) {
      const count = sessions === 1 ? 1 : sessions * rounds;
      for (let index = 0; index < count; index += 1) {
        const round = sessions === 1 ? undefined : Math.floor(index / sessions);
        const session = `${shape}-${events}-${index}`;
        targets.push({ session, events, shape, warm, round, turnId: 'last' });
      }
    }
  }
  return targets;
}

/** The first start folds what was seeded; later ones go on from there. */
async function catchUp(directory, loader, targets) {
  const server = await startServer('planlog', { directory });
  const last = targets.at(-1);
  const write = {
    method: 'PUT',
    path: todosPath(last.session),
    body: JSON.stringify({ turnId: last.turnId, todos: makeTodos(1) }),
  };
  const { url } = server;
  for (;;) {
    const [{ status, body }] = await loader.run('each', { url, requests: [write] });
    if (status !== 200) throw new Error(`cannot write to a seeded session: ${status} ${body}`);
    const path = `${todosPath(last.session)}?after=${JSON.parse(body).position}&timeoutMs=30000`;
    const [read] = await loader.run('each', { url, requests: [{ method: 'GET', path }] });
    if (read.status === 200) break;
  }
  await server.stop({ keep: true });
}

async function measure(name, directory, loader, targets, round) {
  const server = await startServer(name, { directory });
  const { url } = server;
  const others = sessionIds(`other-${round}`, 16);
  await openTurns(loader, server, others, 't');
  await loader.measure('load', {
    url,
    method: 'PUT',
    paths: others.map(todosPath),
    turnId: 't',
    seconds: WARM_UP_SECONDS,
  });
  const times = {};
  const add = (key, ms) => (times[key] ??= []).push(ms);
  for (const { session, events, shape, warm, turnId, round: own } of targets) {
    if (own !== undefined && own !== round) continue;
    const requests = Array.from({ length: warm + 1 }, (_, index) =>
      writeTo(session, turnId, round * 100 + index + 3),
    );
    const answers = check(await loader.run('each', { url, requests }));
    answers.forEach(({ ms }, index) => {
      add(`${index === 0 ? 'cold' : 'warm'} ${events} ${shape}`, ms);
    });
  }
  await server.stop({ keep: true });
  return Object.fromEntries(Object.entries(times).map(([key, all]) => [key, median(all)]));
}

function writeTo(session, turnId, seed) {
  const body = JSON.stringify({ turnId, todos: makeTodos(seed) });
  return { method: 'PUT', path: todosPath(session), body };
}

function check(answers) {
  const refused = answers.find(({ status }) => status !== 200);
  if (refused !== undefined) throw new Error(`a write failed: ${refused.status} ${refused.body}`);
  return answers;
}
