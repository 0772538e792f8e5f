/** The process that builds a generation: it ends with its server, and when it is cancelled. */
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteEventLog } from '../../../src/events/log/sqlite/open-sqlite-event-log.js';
import { sqliteReadModels } from '../../../src/projections/read-model/sqlite/sqlite-read-models.js';
import { LiveProjection } from '../../../src/projections/runtime/live-projection.js';
import { sessionTodosProjection } from '../../../src/projections/session-todos/session-todos.projection.js';
import { processJobs } from '../../../src/server/rebuild/process-jobs.js';
import { eventually } from '../../integration/projections/generations-scenario.js';

const ENTRY = join(import.meta.dirname, '../../../src/server/rebuild/rebuild-job.js');
const PARENT = join(import.meta.dirname, 'start-job-and-wait.js');

let directory: string;
/** Takes connections and says nothing: a job that waits for such a log never ends by itself. */
let silent: Server;
let url: string;
const sockets: Socket[] = [];
const children: ChildProcess[] = [];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'planlog-rebuild-process-'));
  silent = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  url = `esdb://127.0.0.1:${address.port}?tls=false`;
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  silent.close();
  for (const socket of sockets.splice(0)) socket.destroy();
  rmSync(directory, { recursive: true, force: true });
});

/** False also for one that has ended, and that nobody has asked for its exit code yet. */
function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

it('ends when its server is killed, whatever it waits for', async () => {
  const server = spawn(process.execPath, [PARENT, directory, url], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(server);
  const [said] = (await once(server.stdout, 'data')) as [Buffer];
  const pid = Number(said.toString());
  // It is at work: it asks for the log.
  await eventually(() => sockets.length > 0);
  expect(runs(pid)).toBe(true);
  server.kill('SIGKILL');
  await eventually(() => !runs(pid));
}, 30_000);

it('ends where its server was gone before it had come up', async () => {
  const job = fork(ENTRY, ['session-todos', '1'], {
    env: { ...process.env, PLANLOG_DATA_DIR: directory, EVENTSTORE_URL: url },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  children.push(job);
  job.disconnect();
  expect(await once(job, 'exit')).toEqual([0, null]);
}, 20_000);

it('ends when what it builds is dropped', async () => {
  const log = await openSqliteEventLog({ directory });
  const pids: number[] = [];
  const projection = new LiveProjection(log, sessionTodosProjection, {
    jobs: processJobs({ dataDir: directory, eventStore: { url, compression: 'off' } }, (pid) => {
      pids.push(pid ?? 0);
    }),
  });
  try {
    await projection.start(sqliteReadModels(directory));
    await projection.caughtUp();
    const { generation } = await projection.rebuild(undefined);
    await eventually(() => sockets.length > 0);
    expect(await projection.drop(generation, undefined)).toMatchObject({ state: 'cancelled' });
    expect(pids.map(runs)).toEqual([false]);
  } finally {
    await projection.stop(0);
    await log.close();
  }
}, 30_000);

it('says that another job is at it', async () => {
  const log = await openSqliteEventLog({ directory });
  const readModels = sqliteReadModels(directory);
  const catalog = await readModels.catalog('session-todos');
  const { generation } = await catalog.begin(1, new Date());
  await catalog.close();
  const release = await readModels.lock(`session-todos.v1.g${generation}`);
  const jobs = processJobs({ dataDir: directory, eventStore: undefined });
  const task = { projection: 'session-todos', version: 1, generation };
  try {
    await expect(jobs.run(task, new AbortController().signal)).rejects.toMatchObject({
      code: 'read_model_locked',
    });
    release();
    await jobs.run(task, new AbortController().signal);
  } finally {
    await log.close();
  }
}, 30_000);
