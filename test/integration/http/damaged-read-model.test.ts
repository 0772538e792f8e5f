/** A page of a read model that turns out to be damaged while the server runs. */
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { readConfig } from '../../../src/server/config.js';
import { startPlanlog, type Planlog } from '../../../src/server/create-server.js';
import { ProjectionHost } from '../../../src/projections/runtime/projection-host.js';

const SESSIONS = 30;

let directory: string;
let server: Planlog;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'planlog-damaged-'));
});
afterEach(async () => {
  await server.close();
  await rm(directory, { recursive: true });
});

function start(): Promise<Planlog> {
  return startPlanlog(
    readConfig({ PORT: '0', PLANLOG_DATA_DIR: directory, PLANLOG_LOG_LEVEL: 'silent' }),
  );
}

function put(session: string, turnId: string): Promise<Response> {
  // Large, so that each row has pages of its own.
  const todos = Array.from({ length: 20 }, (_, at) => ({
    content: `${at} ${'x'.repeat(1_000)}`,
    status: 'pending',
  }));
  return fetch(`${server.url}/v1/sessions/${session}/todos`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ turnId, todos }),
  });
}

async function startTurn(session: string): Promise<string> {
  const answer = await fetch(`${server.url}/v1/sessions/${session}/turns`, { method: 'POST' });
  const { turnId } = (await answer.json()) as { turnId: string };
  return turnId;
}

const read = (session: string, more = '') =>
  fetch(`${server.url}/v1/sessions/${session}/todos${more}`);

it('is answered 503 with what to do, and health says it; writes go on', async () => {
  server = await start();
  const turns: string[] = [];
  for (let at = 0; at < SESSIONS; at += 1) {
    const turnId = await startTurn(`s${at}`);
    await put(`s${at}`, turnId);
    turns.push(turnId);
  }
  await server.close();
  const file = join(directory, 'session-todos.v1.g1.db');
  // All of it in the file itself: what lies in the -wal would hide the damage.
  const db = new DatabaseSync(file);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  const { size } = statSync(file);
  const damage = Buffer.alloc(Math.floor(size / 2), 0xa5);
  const open = openSync(file, 'r+');
  writeSync(open, damage, 0, damage.length, size - damage.length);
  closeSync(open);

  server = await start();
  await server.caughtUp();
  // Each row is whole, or it is refused: never a 500, never another's text.
  let refused: Response | undefined;
  for (let at = 0; at < SESSIONS && refused === undefined; at += 1) {
    const answer = await read(`s${at}`);
    if (answer.status !== 200) refused = answer;
    else expect(await answer.json()).toMatchObject({ sessionId: `s${at}` });
  }
  expect(refused?.status).toBe(503);
  expect(await refused?.text()).toMatch(
    /"store_unavailable".*an operator has to restore or rebuild it/,
  );
  const health = await fetch(`${server.url}/health/ready`);
  expect(health.status).toBe(503);
  expect(await health.text()).toMatch(
    /session-todos is stopped .*damaged; stop the server, delete/,
  );

  // The log is whole: nothing keeps an agent from its work.
  expect((await put('s0', turns[0] ?? '')).status).toBe(200);
  expect((await read('s0')).status).toBe(503);
  const statuses = await server.app.get(ProjectionHost).statuses();
  expect(statuses.find(({ name }) => name === 'session-todos')).toMatchObject({ state: 'stopped' });
}, 60_000);
