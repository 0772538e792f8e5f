/** Tables as Markdown, and the file the figures are kept in: one section for each part. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('../RESULTS.md', import.meta.url));

const HEAD = `# Results

Every figure is a median of five alternating runs, and every ratio the median of the ratios of
each pair of runs; in brackets the least and the greatest. Both sides and the load generator
share one machine, so compare ratios, not numbers. What is measured, and what the bare programs
do, stands in [docs/performance.md](../docs/performance.md).

Repeat with \`npm run bench\`, or one part with \`npm run bench -- writes\` (\`latency\`, \`view\`,
\`sse\`, \`start\`, \`memory\`, \`eventstore\`); \`--quick\` is a short form that keeps nothing.
`;

export function table(header, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

/** When, on what and with which commit a part was measured. */
export function facts() {
  const date = new Date().toISOString().slice(0, 10);
  const cores = cpus().length;
  const memory = Math.round(totalmem() / 2 ** 30);
  return (
    `${date}, commit ${commit()}, ${cores} cores, ${memory} GB, ` +
    `Node ${process.versions.node}, ${process.platform} ${process.arch}`
  );
}

/** Puts a part's section into the file, in the place of the one before. */
export function keep(parts) {
  const sections = new Map(existsSync(FILE) ? readSections() : []);
  for (const { name, text } of parts) sections.set(name, text);
  const order = ['writes', 'latency', 'view', 'sse', 'start', 'memory', 'eventstore'];
  const body = order.filter((name) => sections.has(name)).map((name) => sections.get(name));
  writeFileSync(FILE, `${HEAD}\n${body.join('\n\n')}\n`);
}

function readSections() {
  const [, ...sections] = readFileSync(FILE, 'utf8').split(/^(?=## )/m);
  return sections.map((text) => [/^## (\w+)/.exec(text)[1], text.trim()]);
}

function commit() {
  try {
    const git = (...args) =>
      execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    return git('rev-parse', '--short=10', 'HEAD');
  } catch {
    return process.env.BENCH_COMMIT ?? 'unknown';
  }
}
