/** The demo against a real server: what its scripts say is what readers then see. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { runDemo, sessionsOf } from '../../../src/cli/demo/run-demo.js';
import { SCRIPTS } from '../../../src/cli/demo/scripts.js';
import { sessionTodosSchema } from '../../../src/api/todos/todos-view.schemas.js';
import { RunningServer } from '../../integration/http/running-server.js';

/** Processes start slowly on a machine that is busy. */
const SLOW = 60_000;
const CLI = join(import.meta.dirname, '../../../src/cli/planlog.js');
const SESSIONS = sessionsOf(SCRIPTS);

let server: RunningServer;
beforeAll(async () => {
  server = await RunningServer.start();
});
afterAll(() => server.stop());

/** The view of a session once the read model has all that was written so far. */
async function viewOf(session: string): Promise<{ status: number; body: unknown }> {
  const marker = await server.call('POST', `/v1/sessions/marker-of-${session}/turns`);
  const after = marker.headers.get('planlog-position') ?? '';
  // The demo's own ids, not those that the helpers mark.
  return server.call('GET', `/v1/sessions/${session}/todos?after=${after}`);
}

describe('played to its end', () => {
  const lines: string[] = [];
  beforeAll(async () => {
    const { signal } = new AbortController();
    const print = (line: string) => lines.push(line);
    await runDemo({ url: server.planlog.url, speed: Infinity, run: 'all', print, signal });
  });

  it.each(SESSIONS.map((script) => [script.name, script] as const))(
    '%s is as its script says',
    async (name, { ends, steps }) => {
      const { status, body } = await viewOf(`demo-all-${name}`);
      if (ends === 'deleted') {
        expect(status).toBe(410);
        return;
      }
      const view = sessionTodosSchema.parse(body);
      expect(view.activity).toBe(ends);
      const starts = steps.findLastIndex(({ does }) => does === 'start');
      const last = steps.slice(starts).findLast((step) => step.does === 'plan');
      expect(view.todos).toEqual(last?.todos ?? []);
      expect(view.problems).toBe(0);
    },
  );

  it('shows every way a session can end', () => {
    expect(new Set(SESSIONS.map(({ ends }) => ends))).toEqual(
      new Set(['finished', 'failed', 'interrupted', 'running', 'idle', 'deleted']),
    );
  });

  it('prints one line a step, with the session and its counts', () => {
    for (const { name, steps } of SESSIONS) {
      const own = lines.filter((line) => line.startsWith(`${name} `));
      expect([name, own.length]).toEqual([name, steps.length]);
      for (const line of own) {
        expect(line).toMatch(/\d+ pending, \d+ in progress, \d+ completed/);
      }
    }
    expect(lines.filter((line) => line.includes('is refused'))).toHaveLength(2);
  });

  it('plays its sessions side by side, not one after the other', () => {
    for (const { name } of SCRIPTS) {
      const isOwn = (line: string) => line.startsWith(`${name} `);
      const span = lines.slice(lines.findIndex(isOwn), lines.findLastIndex(isOwn));
      const others = SCRIPTS.filter((script) => script.name !== name).filter((other) =>
        span.some((line) => line.startsWith(`${other.name} `)),
      );
      expect([name, others.length]).not.toEqual([name, 0]);
    }
  });

  it('ends with addresses that can be looked at', async () => {
    const end = lines.slice(lines.indexOf('Look at them:')).join('\n');
    const addresses = end.match(/http:\S+/g) ?? [];
    expect(addresses).toHaveLength(SESSIONS.length + 3);
    for (const address of addresses) {
      if (address.endsWith('/events')) continue;
      expect([200, 410]).toContain((await fetch(address)).status);
    }
  });
});

it('leaves no turn open when it is ended early', async () => {
  const ending = new AbortController();
  const lines: string[] = [];
  const print = (line: string) => {
    lines.push(line);
    if (lines.length === 16) ending.abort();
  };
  await runDemo({
    url: server.planlog.url,
    speed: Infinity,
    run: 'cut',
    print,
    signal: ending.signal,
  });
  expect(lines.some((line) => line.includes('aborted'))).toBe(true);
  const open = await Promise.all(
    SESSIONS.map(async ({ name }) => {
      const { status, body } = await viewOf(`demo-cut-${name}`);
      return status === 200 && sessionTodosSchema.parse(body).turn?.state === 'open' ? [name] : [];
    }),
  );
  expect(open.flat()).toEqual([]);
});

describe('as a process', () => {
  const start = (env: Record<string, string>, ...args: string[]) =>
    spawn(process.execPath, [CLI, 'demo', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });

  it(
    'says in one line that no server answers, and what to do',
    async () => {
      const demo = start({ PLANLOG_URL: 'http://127.0.0.1:1' });
      const [errors] = await Promise.all([text(demo.stderr), once(demo, 'close')]);
      expect(demo.exitCode).toBe(1);
      expect(errors).toBe(
        'planlog demo: no Planlog server answers at http://127.0.0.1:1: start one with "planlog serve" or "npm start", or set PLANLOG_URL\n',
      );
    },
    SLOW,
  );

  it.each([
    ['--speed', '0'],
    ['--speed', 'fast'],
    ['--spede', '2'],
  ])(
    'does not take %s %s',
    async (...args) => {
      const demo = start({}, ...args);
      const [errors] = await Promise.all([text(demo.stderr), once(demo, 'close')]);
      expect(demo.exitCode).toBe(2);
      expect(errors.trimEnd().split('\n')).toHaveLength(1);
    },
    SLOW,
  );

  it(
    'closes its turns on Ctrl-C',
    async () => {
      const demo = start({ PLANLOG_URL: server.planlog.url }, '--speed', '20');
      let output = '';
      demo.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const closed = once(demo, 'close');
      while (!output.includes('writes')) await once(demo.stdout, 'data');
      demo.kill('SIGINT');
      await closed;
      expect(demo.exitCode).toBe(0);
      expect(output).toMatch(/ends +\d.*aborted/);
      expect(output).toContain('no turn is left open');
    },
    SLOW,
  );
});
