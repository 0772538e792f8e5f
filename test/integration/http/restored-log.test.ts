/** A log that is not the one its read models were made from: restored, or swapped. */
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../../src/server/config.js';
import { startPlanlog, type Planlog } from '../../../src/server/create-server.js';

let directory: string;
let copy: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'planlog-restored-'));
  copy = await mkdtemp(join(tmpdir(), 'planlog-copy-'));
});
afterEach(async () => {
  await rm(directory, { recursive: true });
  await rm(copy, { recursive: true });
});

function start(): Promise<Planlog> {
  return startPlanlog(
    readConfig({ PORT: '0', PLANLOG_DATA_DIR: directory, PLANLOG_LOG_LEVEL: 'silent' }),
  );
}

/** Writes a turn of one list into each session; waits until it is projected. */
async function write(server: Planlog, ...sessions: string[]): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  for (const session of sessions) {
    const base = `${server.url}/v1/sessions/${session}`;
    const turn = await fetch(`${base}/turns`, { method: 'POST' });
    const { turnId } = (await turn.json()) as { turnId: string };
    const body = JSON.stringify({ turnId, todos: [{ content: 'a', status: 'pending' }] });
    await fetch(`${base}/todos`, { method: 'PUT', headers, body });
    await fetch(`${base}/turns/${turnId}/end`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ outcome: 'completed' }),
    });
  }
}

async function moveLog(from: string, to: string): Promise<void> {
  for (const file of await readdir(to)) if (file.startsWith('log.db')) await rm(join(to, file));
  for (const file of await readdir(from)) {
    if (file.startsWith('log.db')) await cp(join(from, file), join(to, file));
  }
}

async function readiness(server: Planlog): Promise<string> {
  await server.caughtUp();
  const answer = await fetch(`${server.url}/health/ready`);
  return `${answer.status} ${await answer.text()}`;
}

it.each([
  ['of a session that is in it', 'early'],
  ['of a session that is not', 'late'],
])(
  'an older copy is refused, also once it has grown past the checkpoint %s',
  async (_, last) => {
    let server = await start();
    await write(server, 'early');
    await server.close();
    await moveLog(directory, copy);

    server = await start();
    await write(server, 'middle', last);
    await server.close();

    await moveLog(copy, directory);
    server = await start();
    expect(await readiness(server)).toMatch(/^503 .*session-todos is stopped .*restore or rebuild/);
    // What it shows is of another history: it is not shown.
    for (const path of ['todos', 'todos?after=1&timeoutMs=30000', 'todos/events']) {
      const answer = await fetch(`${server.url}/v1/sessions/early/${path}`);
      expect(`${answer.status} ${await answer.text()}`).toMatch(
        /^503 .*store_unavailable.*has to restore or rebuild/,
      );
    }
    await write(server, 'new-1', 'new-2', 'new-3', 'new-4');
    await server.close();

    server = await start();
    expect(await readiness(server)).toMatch(/^503 .*session-todos is stopped .*restore or rebuild/);
    await server.close();
  },
  60_000,
);
