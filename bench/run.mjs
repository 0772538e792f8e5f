/**
 * Measures and prints; a full run is kept in RESULTS.md. `npm run bench -- [part…] [--quick]`.
 */
import { facts, keep } from './lib/report.mjs';
import { FULL, QUICK } from './lib/rounds.mjs';

const PARTS = ['writes', 'latency', 'view', 'sse', 'start', 'memory', 'eventstore'];

const args = process.argv.slice(2);
const quick = args.includes('--quick');
const named = args.filter((arg) => arg !== '--quick');
const unknown = named.filter((name) => !PARTS.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`no part ${unknown.join(', ')}; parts are ${PARTS.join(', ')}\n`);
  process.exit(2);
}

for (const name of named.length > 0 ? named : PARTS) {
  const part = await import(new URL(`./parts/${name}.mjs`, import.meta.url));
  const startedAt = performance.now();
  const text = `## ${name}: ${part.title}\n\n${facts()}.\n\n${await part.run(quick ? QUICK : FULL)}`;
  process.stdout.write(`${text}\n\n`);
  process.stderr.write(`(${Math.round((performance.now() - startedAt) / 1000)} s)\n`);
  if (!quick) keep([{ name, text }]);
}
