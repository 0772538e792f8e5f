/** GET of the view: the same bytes from each program. */
import { DatabaseSync } from '@photostructure/sqlite';
import { join } from 'node:path';
import { alternate, HEADER, NAMES, row, withServers } from '../lib/rounds.mjs';
import { table } from '../lib/report.mjs';
import { openTurns, sessionIds, todosPath } from '../lib/sessions.mjs';
import { makeTodos } from '../lib/todos.mjs';

export const title = 'GET of the view';

const SESSIONS = 512;

export async function run(extent) {
  const rows = [];
  const cpu = [];
  await withServers(async (servers, loader) => {
    const sessions = sessionIds('v', SESSIONS);
    const views = await writeLists(loader, servers.planlog, sessions);
    for (const name of NAMES.slice(1)) fillViews(servers[name].directory, views);
    for (const inFlight of [1, 64, 512]) {
      const paths = sessions.slice(0, inFlight).map(todosPath);
      const reading = async (name, seconds) => {
        const server = servers[name];
        const before = server.cpuSeconds();
        const result = await loader.measure('load', {
          url: server.url,
          method: 'GET',
          paths,
          seconds,
        });
        return { ...result, cpuUs: ((server.cpuSeconds() - before) * 1e6) / result.requests };
      };
      if (inFlight === 1) {
        for (const name of NAMES) await reading(name, extent.warmUpSeconds);
      }
      const results = await alternate(extent.rounds, (name) => reading(name, extent.seconds));
      rows.push(row(`${inFlight} in flight`, results, ({ perSecond }) => perSecond));
      cpu.push(row(`${inFlight} in flight`, results, ({ cpuUs }) => cpuUs));
    }
  });
  return [
    'Reads a second. Goals: at least 0.8 of bare Nest, 0.6 of bare Fastify.',
    table(HEADER, rows),
    'CPU of the server for one read, all its threads, microseconds (lower is better).',
    table(HEADER, cpu),
  ].join('\n\n');
}

async function writeLists(loader, server, sessions) {
  await openTurns(loader, server, sessions, 't');
  const { url } = server;
  const writes = sessions.map((session, seed) => ({
    method: 'PUT',
    path: todosPath(session),
    body: JSON.stringify({ turnId: 't', todos: makeTodos(seed) }),
  }));
  const receipts = await loader.run('each', { url, requests: writes, inFlight: 16 });
  const reads = receipts.map(({ body }, index) => ({
    method: 'GET',
    path: `${todosPath(sessions[index])}?after=${JSON.parse(body).position}`,
  }));
  const views = await loader.run('each', { url, requests: reads, inFlight: 16 });
  return views.map(({ body }, index) => ({
    key: sessions[index],
    revision: JSON.parse(body).revision,
    json: body,
  }));
}

/** The bare programs answer what Planlog answered. */
function fillViews(directory, views) {
  const db = new DatabaseSync(join(directory, 'views.db'));
  try {
    const insert = db.prepare('INSERT INTO views VALUES (?, ?, ?)');
    db.exec('BEGIN IMMEDIATE');
    for (const { key, revision, json } of views) insert.run(key, revision, json);
    db.exec('COMMIT');
  } finally {
    db.close();
  }
}
