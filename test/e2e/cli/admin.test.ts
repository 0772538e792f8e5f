/** The commands of operators: through a server, and on the data directory where none runs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../../src/server/config.js';
import { startPlanlog, type Planlog } from '../../../src/server/create-server.js';
import { EVENT_LOG } from '../../../src/events/log/event-log.token.js';
import type { EventLog } from '../../../src/events/log/event-log.js';
import { ProjectionHost } from '../../../src/projections/runtime/projection-host.js';
import { tell } from '../../faults/projections/faulty-log.js';
import { planlog, type CliRun } from '../../unit/cli/cli-run.js';
import { start, type Told } from '../../unit/projections/session-scenario.js';

const SLOW = 60_000;
/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:1';
const unreadable: Told = { type: 'turn/start', data: {} };

let directory: string;
let server: Planlog | undefined;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'planlog-cli-'));
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  await rm(directory, { recursive: true, force: true });
});

async function serve(): Promise<Planlog> {
  server = await startPlanlog(
    readConfig({ PORT: '0', PLANLOG_DATA_DIR: directory, PLANLOG_LOG_LEVEL: 'silent' }),
  );
  await server.caughtUp();
  return server;
}

async function stop(): Promise<void> {
  await server?.close();
  server = undefined;
}

function cli(...args: string[]): Promise<CliRun> {
  const env = { PLANLOG_URL: server?.url ?? NOWHERE, PLANLOG_DATA_DIR: directory };
  return planlog(args, { env });
}

/** Sessions whose second event cannot be read, and one that can. */
async function sessions(): Promise<void> {
  const { app } = await serve();
  const log = app.get<EventLog>(EVENT_LOG);
  for (const name of ['bad-1', 'bad-2'])
    await tell(log, `agentSession-default.${name}`, start, unreadable);
  await tell(log, 'agentSession-default.good', start);
  const end = Date.now() + 10_000;
  for (;;) {
    const statuses = await app.get(ProjectionHost).statuses();
    if (statuses.every(({ state, distance }) => state === 'live' && distance === '0')) return;
    if (Date.now() > end) throw new Error('not projected in time');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe.each([
  ['through a server', true],
  ['on the data directory', false],
])('%s', (_, running) => {
  beforeEach(async () => {
    await sessions();
    if (!running) await stop();
  }, SLOW);

  it(
    'projections lists them, for people and as JSON',
    async () => {
      const { code, out, err } = await cli('projections');
      expect([code, err]).toEqual([0, '']);
      const lines = out.split('\n');
      expect(lines[0]).toMatch(/^PROJECTION +VERSION +STATE +BEHIND +DISTANCE +PARKED +SERVING$/);
      expect(out).toMatch(/^session-todos +1 +\S+ +(\d+ s|-) +(\d+|-) +2 +1$/m);
      expect(out).toContain('planlog parked session-todos');
      const json = await cli('projections', 'list', '--json');
      expect(JSON.parse(json.out)).toMatchObject({
        items: expect.arrayContaining([
          expect.objectContaining({ name: 'session-todos', serving: 1, parked: 2 }),
        ]) as unknown,
      });
    },
    SLOW,
  );

  it(
    'projections pauses one for good, and resumes it',
    async () => {
      expect((await cli('projections', 'pause', 'session-todos')).out).toContain('paused');
      await stop();
      await serve();
      const { out } = await cli('projections', '--json');
      expect(out).toContain('"state":"paused"');
      if (!running) await stop();
      const resumed = await cli('projections', 'resume', 'session-todos', '--json');
      expect(resumed.code).toBe(0);
      expect(JSON.parse(resumed.out)).toMatchObject({ name: 'session-todos' });
      expect(resumed.out).not.toContain('paused');
    },
    SLOW,
  );

  it(
    'parked lists what stands still, and leads it on',
    async () => {
      const shown = await cli('parked', 'session-todos');
      expect(shown.out).toMatch(/^KEY +REVISION +STORED AT +REASON$/m);
      expect(shown.out).toMatch(/^default\.bad-1 +1 +\d{4}-\S+ +turn\/start cannot be read: /m);
      const json = await cli('parked', 'session-todos', 'list', '--json');
      expect(JSON.parse(json.out)).toMatchObject({
        items: [{ key: 'default.bad-1', revision: '1' }, { key: 'default.bad-2' }],
      });
      const retried = await cli('parked', 'session-todos', 'retry', 'default.bad-1');
      expect(retried.code).toBe(1);
      expect(retried.out).toMatch(/^default\.bad-1 stands still again at revision 1: turn\/start/);
      const discarded = await cli(
        'parked',
        'session-todos',
        'discard',
        'default.bad-1',
        'default.bad-2',
      );
      expect(discarded).toEqual({
        code: 0,
        out: 'default.bad-1 flows again\ndefault.bad-2 flows again\n',
        err: '',
      });
      expect((await cli('parked', 'session-todos')).out).toBe(
        'nothing in session-todos stands still\n',
      );
      const again = await cli('parked', 'session-todos', 'discard', 'default.bad-1');
      expect(again).toMatchObject({ code: 1, out: '' });
      expect(again.err).toMatch(/^planlog parked: default\.bad-1 is not parked/);
    },
    SLOW,
  );

  it(
    'says what there is where a projection is not known',
    async () => {
      for (const args of [
        ['projections', 'pause', 'todos'],
        ['parked', 'todos'],
        ['parked', 'todos', 'retry', 'a'],
      ]) {
        const { code, err } = await cli(...args);
        expect(code).toBe(1);
        expect(err).toMatch(/there is no projection todos; there are: .*session-todos/);
      }
    },
    SLOW,
  );

  it(
    'delete removes a session and its text',
    async () => {
      expect(await cli('delete', 'good')).toEqual({ code: 0, out: 'good is deleted\n', err: '' });
      expect(await cli('delete', 'good')).toMatchObject({ code: 0 });
      const unknown = await cli('delete', 'nothing');
      expect(unknown).toMatchObject({ code: 1, out: '' });
      expect(unknown.err).toContain('There is no such session');
      await stop();
      const { url } = await serve();
      expect((await fetch(`${url}/v1/sessions/good/todos`)).status).toBe(410);
    },
    SLOW,
  );
});

it.each([
  [['projections', 'stop'], '"stop" is not known'],
  [['projections', 'pause'], 'needs the name of a projection'],
  [['projections', 'list', 'x'], '"x" is one argument too many'],
  [['projections', 'pause', 'x', 'y'], '"y" is one argument too many'],
  [['parked'], 'the name of a projection is needed'],
  [['parked', 'x', 'drop'], '"drop" is not known'],
  [['parked', 'x', 'retry'], 'retry needs a key'],
  [['parked', 'x', 'list', 'y'], '"y" is one argument too many'],
  [['delete'], 'the id of a session is needed'],
  [['delete', '../x'], 'is no id of a session'],
  [['delete', 'a', 'b'], '"b" is one argument too many'],
  [['delete', 'a', '--tenant', 'A'], '"A" is no tenant'],
])('%j is wrong usage, and nothing is done', async (args, message) => {
  const { code, out, err } = await cli(...args);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(message);
});

it(
  'deletes in a tenant of choice on the data directory, but not through a server',
  async () => {
    const { app, url } = await serve();
    await tell(app.get<EventLog>(EVENT_LOG), 'agentSession-acme.s1', start);
    const refused = await cli('delete', 's1', '--tenant', 'acme');
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toContain(`the server at ${url} takes the tenant from PLANLOG_TOKEN`);
    await stop();
    expect(await cli('delete', 's1', '--tenant', 'acme')).toMatchObject({ code: 0 });
  },
  SLOW,
);

describe('finds out whether a server runs', () => {
  it(
    'and leaves a log alone that one has, wherever it listens',
    async () => {
      await serve();
      const env = { PLANLOG_URL: NOWHERE, PLANLOG_DATA_DIR: directory };
      for (const args of [['projections'], ['parked', 'session-todos'], ['delete', 's1']]) {
        const { code, out, err } = await planlog(args, { env });
        expect([code, out]).toEqual([1, '']);
        expect(err).toMatch(/open in another process.*set PLANLOG_URL/);
      }
    },
    SLOW,
  );

  it(
    'and does not work on this machine where another was named',
    async () => {
      const env = { PLANLOG_URL: 'http://planlog.invalid', PLANLOG_DATA_DIR: directory };
      const { code, err } = await planlog(['projections'], { env });
      expect(code).toBe(1);
      expect(err).toContain('the server at http://planlog.invalid does not answer');
    },
    SLOW,
  );

  it('and takes no other program for one', async () => {
    const other = createServer((_, response) => response.end('<html>')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const env = { PLANLOG_URL: `http://127.0.0.1:${port}`, PLANLOG_DATA_DIR: directory };
    for (const args of [['projections'], ['delete', 's1']]) {
      const { code, out } = await planlog(args, { env });
      expect([code, out]).toEqual([1, '']);
    }
    other.close();
  });

  it(
    'and says that a token is needed, and sends the one it is given',
    async () => {
      const secret = 's'.repeat(32);
      const guarded = { PLANLOG_JWT_SECRET: secret, PORT: '0', PLANLOG_DATA_DIR: directory };
      server = await startPlanlog(readConfig({ ...guarded, PLANLOG_LOG_LEVEL: 'silent' }));
      const refused = await cli('projections');
      expect(refused.code).toBe(1);
      expect(refused.err).toContain('set PLANLOG_TOKEN');
      const env = { PLANLOG_JWT_SECRET: secret };
      const token = async (scope: string) =>
        (await planlog(['token', '--scope', scope], { env })).out.trim();
      const asking = async (scope: string) =>
        planlog(['projections'], {
          env: { PLANLOG_URL: server?.url, PLANLOG_TOKEN: await token(scope) },
        });
      expect(await asking('admin')).toMatchObject({ code: 0 });
      expect(await asking('todos:write')).toMatchObject({ code: 1, out: '' });
    },
    SLOW,
  );
});
