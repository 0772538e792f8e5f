/** The server as a process: what it prints, how it refuses to start, how it exits. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SseClient } from '../../unit/api/sse-client.js';
import { killProcesses, startProcess, urlOf, type PlanlogProcess } from './planlog-process.js';

/** Processes start slowly on a machine that is busy. */
const SLOW = 60_000;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'planlog-process-'));
});
afterEach(async () => {
  await killProcesses();
  await rm(directory, { recursive: true });
}, SLOW);

function run(env: Record<string, string> = {}): PlanlogProcess {
  return startProcess({ PLANLOG_DATA_DIR: directory, ...env });
}

it(
  'prints one line when it is ready, and says what it guards against',
  async () => {
    const started = run();
    const url = await urlOf(started);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(started.output.trimEnd().split('\n')).toHaveLength(1);
    expect(started.output).toContain('loopback only: no auth is configured');
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    expect(started.errors).toBe('');
  },
  SLOW,
);

it.each(['SIGTERM', 'SIGINT'] as const)(
  'C 50: %s under load exits with 0',
  async (signal) => {
    const started = run();
    const url = await urlOf(started);
    const post = (path: string, method: string, body: object) =>
      fetch(url + path, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    await post('/v1/sessions/s1/turns', 'POST', { turnId: 't1' });
    const client = await SseClient.open(`${url}/v1/sessions/s1/todos/events`);
    let acknowledged = 0;
    const load = Array.from({ length: 8 }, async (_, writer) => {
      for (let count = 0; ; count += 1) {
        const todos = [{ content: `${writer} ${count}`, status: 'pending' }];
        const answer = await post('/v1/sessions/s1/todos', 'PUT', { turnId: 't1', todos }).catch(
          () => undefined,
        );
        if (answer?.status !== 200) return;
        acknowledged = Math.max(acknowledged, await revisionOf(answer).catch(() => 0));
      }
    });
    while (((await client.next())?.id ?? '') < '3');

    const began = performance.now();
    started.child.kill(signal);
    expect(await started.exited).toBe(0);
    expect(performance.now() - began).toBeLessThan(2_500);
    await Promise.all(load);
    expect(started.errors).toBe('');

    // What was acknowledged is there, and the read model says the same as the log.
    const again = await urlOf(run());
    const view = await fetch(`${again}/v1/sessions/s1/todos`);
    expect(await revisionOf(view)).toBeGreaterThanOrEqual(acknowledged);
  },
  SLOW,
);

it.each<[string, Record<string, string>, RegExp]>([
  ['a bad value', { PORT: 'x' }, /PORT.*0 to 65535/],
  ['a host that all can reach', { HOST: '0.0.0.0' }, /HOST.*loopback.*no auth is configured/],
  ['what it does not support yet', { DATABASE_URL: 'postgres://x' }, /DATABASE_URL/],
  ['a directory that is none', { PLANLOG_DATA_DIR: '/dev/null/x' }, /\/dev\/null/],
])(
  'does not start with %s: one line, exit 1',
  async (_what, env, line) => {
    const started = run(env);
    expect(await started.exited).toBe(1);
    expect(started.output).toBe('');
    expect(started.errors.trimEnd().split('\n')).toHaveLength(1);
    expect(started.errors).toMatch(/^planlog cannot start: /);
    expect(started.errors).toMatch(line);
  },
  SLOW,
);

it(
  'does not start on a port that is in use, and leaves the log closed',
  async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const started = run({ PORT: String(port) });
    expect(await started.exited).toBe(1);
    expect(started.errors).toMatch(/^planlog cannot start: PORT is in use/);
    expect(started.errors.trimEnd().split('\n')).toHaveLength(1);
    other.close();
    expect(await urlOf(run())).toMatch(/^http/);
  },
  SLOW,
);

it(
  'does not start beside another on the same directory',
  async () => {
    await urlOf(run());
    const second = run();
    expect(await second.exited).toBe(1);
    expect(second.errors).toMatch(/^planlog cannot start: .*open in another process/);
  },
  SLOW,
);

async function revisionOf(answer: Response): Promise<number> {
  const body: unknown = await answer.json();
  return typeof body === 'object' && body !== null && 'revision' in body
    ? Number(body.revision)
    : Number.NaN;
}
