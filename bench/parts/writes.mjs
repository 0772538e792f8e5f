/** Durable TodoWrite of eight items over HTTP, at several numbers of requests in flight. */
import { alternate, HEADER, NAMES, row, withServers } from '../lib/rounds.mjs';
import { table } from '../lib/report.mjs';
import { openTurns, sessionIds, todosPath } from '../lib/sessions.mjs';

export const title = 'durable writes of a list of 8 items';

export async function run(extent) {
  const throughput = [];
  const latency = [];
  const cpu = [];
  await withServers(async (servers, loader) => {
    const writing = async (name, inFlight, turnId, seconds) => {
      const server = servers[name];
      const sessions = sessionIds('w', inFlight);
      await openTurns(loader, server, sessions, turnId);
      const before = server.cpuSeconds();
      const paths = sessions.map(todosPath);
      const job = { url: server.url, method: 'PUT', paths, turnId, seconds };
      const result = await loader.measure('load', job);
      return { ...result, cpuUs: ((server.cpuSeconds() - before) * 1e6) / result.requests };
    };
    for (const name of NAMES) await writing(name, 64, 'warm-up', extent.warmUpSeconds);
    for (const inFlight of [1, 64, 512]) {
      const results = await alternate(extent.rounds, (name, round) =>
        writing(name, inFlight, `turn-${inFlight}-${round}`, extent.seconds),
      );
      const label = `${inFlight} in flight`;
      throughput.push(row(label, results, ({ perSecond }) => perSecond));
      latency.push(row(label, results, ({ p99 }) => p99, { digits: 2 }));
      cpu.push(row(label, results, ({ cpuUs }) => cpuUs));
    }
  });
  return [
    'Writes a second. Goals: at least 0.8 of bare Nest, 0.6 of bare Fastify.',
    table(HEADER, throughput),
    'Milliseconds from request to receipt, p99 (lower is better).',
    table(HEADER, latency),
    'CPU of the server for one write, all its threads, microseconds (lower is better).',
    table(HEADER, cpu),
  ].join('\n\n');
}
