/** `planlog rebuild`: through a server, and on the data directory where none runs. */
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { EventLog } from '../../../src/events/log/event-log.js';
import { EVENT_LOG } from '../../../src/events/log/event-log.token.js';
import { openSqliteEventLog } from '../../../src/events/log/sqlite/open-sqlite-event-log.js';
import { sqliteReadModels } from '../../../src/projections/read-model/sqlite/sqlite-read-models.js';
import { rebuildGeneration } from '../../../src/projections/runtime/rebuild/rebuild-generation.js';
import { sessionTodosProjection } from '../../../src/projections/session-todos/session-todos.projection.js';
import { readConfig } from '../../../src/server/config.js';
import { startPlanlog, type Planlog } from '../../../src/server/create-server.js';
import { tell } from '../../faults/projections/faulty-log.js';
import { eventually } from '../../integration/projections/generations-scenario.js';
import { planlog, type CliRun, type CliSetting } from '../../unit/cli/cli-run.js';
import { end, start, turn, write, type Told } from '../../unit/projections/session-scenario.js';

const SLOW = 60_000;
/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:1';
const unreadable: Told = { type: 'turn/start', data: {} };
const POISON =
  /revision 1 of agentSession-default\.bad cannot be folded: turn\/start cannot be read: /;

const lineSchema = z.strictObject({
  projection: z.literal('session-todos'),
  generation: z.int(),
  state: z.string(),
  events: z.int(),
  percent: z.number().nullable(),
  eventsPerSecond: z.number().nullable(),
  secondsLeft: z.number().nullable(),
  problem: z.string().nullable(),
});

let directory: string;
let server: Planlog | undefined;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'planlog-cli-rebuild-'));
});
afterEach(async () => {
  await stop();
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

function environment(): Record<string, string> {
  return { PLANLOG_URL: server?.url ?? NOWHERE, PLANLOG_DATA_DIR: directory };
}

function cli(args: string[], more: CliSetting = {}): Promise<CliRun> {
  return planlog(args, { env: environment(), ...more });
}

function lines(out: string): z.infer<typeof lineSchema>[] {
  return out
    .trim()
    .split('\n')
    .map((line) => lineSchema.parse(JSON.parse(line)));
}

/** What the catalogue says: number and state of each. */
async function generations(name = 'session-todos'): Promise<string[]> {
  const catalog = await sqliteReadModels(directory).catalog(name);
  try {
    return (await catalog.generations()).map(({ generation, state }) => `${generation} ${state}`);
  } finally {
    await catalog.close();
  }
}

/** Two sessions, seven events. */
async function sessions(log: EventLog): Promise<void> {
  await tell(log, 'agentSession-default.a', start, turn('t1'), write('t1', 'P:one'));
  await tell(
    log,
    'agentSession-default.b',
    start,
    turn('t1'),
    write('t1', 'I:two'),
    end('t1', 'completed'),
  );
}

async function poison(log: EventLog): Promise<void> {
  await tell(log, 'agentSession-default.bad', start, unreadable);
}

async function shown(): Promise<unknown> {
  const { url } = server ?? (await serve());
  return (await fetch(`${url}/v1/sessions/a/todos`)).json();
}

describe.each([
  ['through a server', true],
  ['on the data directory', false],
])('%s', (_, running) => {
  let log: EventLog;
  beforeEach(async () => {
    log = (await serve()).app.get<EventLog>(EVENT_LOG);
    await sessions(log);
  }, SLOW);

  it(
    'builds a generation beside the one that is served, and says how in JSON lines',
    async () => {
      if (!running) await stop();
      const { code, out, err } = await cli(['rebuild', 'session-todos']);
      expect([code, err]).toEqual([0, '']);
      const said = lines(out);
      expect(said[0]).toMatchObject({ generation: 2, state: 'building' });
      expect(said.at(-1)).toMatchObject({
        generation: 2,
        state: 'ready',
        events: 7,
        percent: 100,
        secondsLeft: null,
        problem: null,
      });
      expect(await generations()).toEqual(['1 serving', '2 ready']);
    },
    SLOW,
  );

  it(
    'promotes what it has built, and keeps what was served',
    async () => {
      if (!running) await stop();
      const { code, out, err } = await cli(['rebuild', 'session-todos', '--promote']);
      expect([code, err]).toEqual([0, '']);
      expect(lines(out).at(-1)).toMatchObject({ generation: 2, state: 'serving' });
      expect(await generations()).toEqual(['1 kept', '2 serving']);
      expect(await shown()).toMatchObject({ epoch: 1, todos: [{ content: 'one' }] });
    },
    SLOW,
  );

  it(
    'rebuilds the overview as well',
    async () => {
      if (!running) await stop();
      const { code, err } = await cli(['rebuild', 'session-overview', '--promote']);
      expect([code, err]).toEqual([0, '']);
      expect(await generations('session-overview')).toEqual(['1 kept', '2 serving']);
    },
    SLOW,
  );

  it(
    'stops at an event that cannot be folded, names it, and honours its discard',
    async () => {
      await poison(log);
      await expectParked(1);
      if (!running) await stop();
      const failed = await cli(['rebuild', 'session-todos', '--promote']);
      expect(failed.code).toBe(1);
      expect(failed.err).toMatch(/^planlog rebuild: generation 2 of session-todos is failed: /);
      expect(failed.err).toMatch(POISON);
      expect(lines(failed.out).at(-1)).toMatchObject({ generation: 2, state: 'failed' });
      expect(lines(failed.out).at(-1)?.problem).toMatch(POISON);
      expect(await generations()).toEqual(['1 serving', '2 failed']);
      expect((await cli(['parked', 'session-todos', 'discard', 'default.bad'])).code).toBe(0);
      expect((await cli(['rebuild', 'session-todos', '--promote'])).code).toBe(0);
      expect((await generations()).at(-1)).toBe('3 serving');
    },
    SLOW,
  );

  it(
    'says what a rebuild would make, and leaves nothing behind',
    async () => {
      await poison(log);
      await expectParked(1);
      const before = await readdir(directory);
      if (!running) await stop();
      const failed = await cli(['rebuild', 'session-todos', '--dry-run']);
      expect(failed.code).toBe(1);
      expect(failed.err).toMatch(POISON);
      expect(JSON.parse(failed.out.trim().split('\n').at(-1) ?? '')).toMatchObject({
        dryRun: true,
        state: 'failed',
      });
      await cli(['parked', 'session-todos', 'discard', 'default.bad']);
      const { code, out, err } = await cli(['rebuild', 'session-todos', '--dry-run']);
      expect([code, err]).toEqual([0, '']);
      expect(JSON.parse(out.trim().split('\n').at(-1) ?? '')).toEqual({
        projection: 'session-todos',
        dryRun: true,
        state: 'ready',
        events: 9,
        rows: 3,
        problem: null,
      });
      expect(await generations()).toEqual(['1 serving']);
      expect((await readdir(directory)).filter((name) => !before.includes(name))).toEqual([]);
    },
    SLOW,
  );

  it(
    'shows people a bar on standard error, and the outcome on standard output',
    async () => {
      if (!running) await stop();
      const run = await cli(['rebuild', 'session-todos', '--promote'], { isTerminal: true });
      expect(run.code).toBe(0);
      expect(run.out).toBe(
        'generation 2 of session-todos is ready: 7 events\n' +
          'generation 2 of session-todos is served now\n',
      );
      expect(run.err).toMatch(/^\rgeneration 2 \[[#.]{24}\] /);
      // The bar is taken away.
      expect(run.err.endsWith('\r\u001b[K')).toBe(true);
      const tried = await cli(['rebuild', 'session-todos', '--dry-run'], { isTerminal: true });
      expect(tried.out).toBe('a rebuild of session-todos would fold 7 events into 2 rows\n');
      const json = await cli(['rebuild', 'session-todos', '--json'], { isTerminal: true });
      expect(lines(json.out).at(-1)).toMatchObject({ generation: 3, state: 'ready' });
    },
    SLOW,
  );

  it(
    'says what there is where a projection is not known',
    async () => {
      if (!running) await stop();
      for (const args of [['todos'], ['todos', '--dry-run']]) {
        const { code, out, err } = await cli(['rebuild', ...args]);
        expect([code, out]).toEqual([1, '']);
        expect(err).toMatch(/there is no projection todos; there are: .*session-todos/);
      }
    },
    SLOW,
  );

  it(
    'interrupted, says what becomes of it',
    async () => {
      if (!running) await stop();
      const interrupt = new AbortController();
      const { code, out, err } = await cli(['rebuild', 'session-todos'], {
        signal: interrupt.signal,
        onOut: () => {
          interrupt.abort();
        },
      });
      expect(code).toBe(1);
      expect(lines(out).at(-1)).toMatchObject({ generation: 2, state: 'building' });
      const [, becomes] =
        /^planlog rebuild: interrupted before generation 2 .*: (.*)$/m.exec(err) ?? [];
      expect(becomes).toContain(
        running ? 'the server goes on building it' : 'what was built stays',
      );
      if (running) {
        await eventually(async () => (await generations()).includes('2 ready'));
      } else {
        expect(await generations()).toEqual(['1 serving', '2 building']);
        expect((await cli(['rebuild', 'session-todos'])).code).toBe(0);
      }
      expect(await generations()).toEqual(['1 serving', '2 ready']);
    },
    SLOW,
  );

  async function expectParked(count: number): Promise<void> {
    await eventually(async () => {
      const { out } = await cli(['parked', 'session-todos', '--json']);
      return (
        z.object({ items: z.array(z.unknown()) }).parse(JSON.parse(out)).items.length === count
      );
    });
  }
});

it(
  'leaves alone what a server has that listens elsewhere',
  async () => {
    await serve();
    const env = { PLANLOG_URL: NOWHERE, PLANLOG_DATA_DIR: directory };
    const { code, out, err } = await planlog(['rebuild', 'session-todos'], { env });
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/in use by another process.*set PLANLOG_URL/);
    expect(await generations()).toEqual(['1 serving']);
  },
  SLOW,
);

it('makes nothing where there is no log', async () => {
  for (const more of [[], ['--dry-run']]) {
    const { code, out, err } = await cli(['rebuild', 'session-todos', ...more]);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(directory);
  }
  expect(await readdir(directory)).toEqual([]);
});

it.each([
  [[], 'the name of a projection is needed'],
  [['a', 'b'], '"b" is one argument too many'],
  [['a', '--dry-run', '--promote'], 'there is nothing to promote'],
])('%j is wrong usage, and nothing is done', async (args, message) => {
  const { code, out, err } = await cli(['rebuild', ...args]);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(message);
});

it(
  'killed on the way, again and again, it ends with the rows of a fresh fold',
  async () => {
    const log = await openSqliteEventLog({ directory });
    const turns = Array.from({ length: 150 }, (_, n) => [
      turn(`t${n}`),
      write(`t${n}`, `I:${n}`, 'P:later'),
      end(`t${n}`, 'completed'),
    ]).flat();
    for (let session = 0; session < 40; session += 1) {
      await tell(log, `agentSession-default.s${session}`, start, ...turns);
    }
    await log.close();
    // Each time at its first word: later a fast machine may have built it. What a kill at any
    // moment leaves is tested in test/faults/rebuild.
    for (let kill = 0; kill < 3; kill += 1) {
      expect(await killedAtFirstWord()).toBe('SIGKILL');
      expect(await generations()).toEqual(['1 building']);
    }
    const { code, err } = await cli(['rebuild', 'session-todos', '--promote']);
    expect([code, err]).toEqual([0, '']);
    expect(await generations()).toEqual(['1 serving']);
    expect(await rows(directory, 1)).toEqual(await freshRows());
  },
  2 * SLOW,
);

/** @returns what ended it */
function killedAtFirstWord(): Promise<NodeJS.Signals | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['dist/src/cli/planlog.js', 'rebuild', 'session-todos'], {
      env: { ...process.env, ...environment() },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.stdout.once('data', () => {
      child.kill('SIGKILL');
    });
    child.once('error', reject);
    child.once('exit', (_, signal) => {
      resolve(signal);
    });
  });
}

async function rows(where: string, generation: number): Promise<unknown[]> {
  const model = await sqliteReadModels(where).open(sessionTodosProjection, generation);
  try {
    return (await model.scan(undefined, 1_000)).map(({ key, row }) => [key, row]);
  } finally {
    await model.close();
  }
}

async function freshRows(): Promise<unknown[]> {
  const where = join(directory, 'fresh');
  const readModels = sqliteReadModels(where);
  const catalog = await readModels.catalog('session-todos');
  const { generation } = await catalog.begin(1, new Date());
  await catalog.close();
  const log = await openSqliteEventLog({ directory });
  try {
    await rebuildGeneration({ log, readModels, projection: sessionTodosProjection, generation });
  } finally {
    await log.close();
  }
  const fresh = await rows(where, generation);
  expect(fresh).toHaveLength(40);
  return fresh;
}
