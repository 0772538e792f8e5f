/** Alternating runs: every program in turn, in the opposite order each time. */
import { Loader } from './loader.mjs';
import { startServer } from './server.mjs';
import { median, medianRatio, ratioRange } from './stats.mjs';

const NOTHING = 0.005;

export const NAMES = ['planlog', 'nest', 'fastify'];

/** How much is measured. */
export const FULL = { rounds: 5, seconds: 3, warmUpSeconds: 4, quick: false };
export const QUICK = { rounds: 2, seconds: 1, warmUpSeconds: 1, quick: true };

/**
 * Runs `measure` for each program, `rounds` times.
 *
 * @returns for each program its results, one a round
 */
export async function alternate(rounds, measure, names = NAMES) {
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? names : [...names].reverse();
    for (const name of order) results[name].push(await measure(name, round));
  }
  return results;
}

/** Runs `body` with one server of each program, and ends them. */
export async function withServers(body, names = NAMES) {
  const loader = new Loader();
  const servers = {};
  try {
    for (const name of names) servers[name] = await startServer(name);
    return await body(servers, loader);
  } finally {
    loader.close();
    for (const server of Object.values(servers)) await server.stop();
  }
}

/** A row of a table: the medians of a value, and our ratio to each bare program. */
export function row(label, results, value, { digits = 0, names = NAMES } = {}) {
  const values = Object.fromEntries(names.map((name) => [name, results[name].map(value)]));
  const cells = [label, ...names.map((name) => median(values[name]).toFixed(digits))];
  for (const name of names.slice(1)) {
    // A frame that comes with its receipt leaves nothing to divide by.
    if (!values[name].every((value) => value > NOTHING)) {
      cells.push('none: 0');
      continue;
    }
    const [least, greatest] = ratioRange(values.planlog, values[name]);
    const ratio = medianRatio(values.planlog, values[name]).toFixed(2);
    cells.push(`${ratio} (${least.toFixed(2)} to ${greatest.toFixed(2)})`);
  }
  return cells;
}

export const HEADER = [
  '',
  'Planlog',
  'bare Nest',
  'bare Fastify',
  'ratio to bare Nest',
  'ratio to bare Fastify',
];
