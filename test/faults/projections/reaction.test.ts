/** Reactions: in order, at least once, and never past what is not done. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteReadModels } from '../../../src/projections/read-model/sqlite/sqlite-read-models.js';
import type { Reaction } from '../../../src/projections/runtime/define-reaction.js';
import { LiveReaction } from '../../../src/projections/runtime/live-reaction.js';
import { foreign, remove } from '../../unit/projections/session-scenario.js';
import { FaultyLog, tell, until } from './faulty-log.js';

const FAST = { baseMs: 1, maxMs: 2, random: () => 1 };

let directory: string;
let log: FaultyLog;
let done: string[];
let handle: Reaction['handle'];
let live: LiveReaction;

async function launch(): Promise<void> {
  live = new LiveReaction(
    log,
    {
      name: 'tester',
      version: 1,
      prefix: 'agentSession-',
      wants: ({ type }) => type === 'session/delete',
      handle: async (event, signal) => {
        await handle(event, signal);
        done.push(event.stream.slice(-1));
      },
    },
    { backoff: FAST },
  );
  await live.start(sqliteReadModels(directory));
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'planlog-reaction-'));
  log = new FaultyLog();
  done = [];
  handle = () => Promise.resolve();
  for (const name of ['a', 'b', 'c'])
    await tell(log, `agentSession-default.${name}`, foreign, remove);
});

afterEach(async () => {
  await live.stop(0);
  await log.close();
  rmSync(directory, { recursive: true, force: true });
});

it('handles what it wants, in order, one at a time, and not again after a restart (faults.md C 27)', async () => {
  let running = 0;
  handle = async () => {
    running += 1;
    expect(running).toBe(1);
    await new Promise(setImmediate);
    running -= 1;
  };
  await launch();
  await live.caughtUp();
  await live.stop(1_000);
  await launch();
  await live.caughtUp();
  expect(done).toEqual(['a', 'b', 'c']);
});

it('tries a failing one again and again, and repeats none that was done', async () => {
  let failures = 3;
  handle = ({ stream }) =>
    stream.endsWith('b') && failures-- > 0 ? Promise.reject(new Error('no')) : Promise.resolve();
  await launch();
  await live.caughtUp();
  expect(done).toEqual(['a', 'b', 'c']);
  expect(await live.status(undefined)).toMatchObject({ resubscriptions: 3, problem: null });
});

it('stopped in the middle, it goes on there: what was not done comes again', async () => {
  let stuck = true;
  handle = ({ stream }, signal) =>
    stream.endsWith('b') && stuck
      ? new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            reject(new Error('aborted'));
          });
        })
      : Promise.resolve();
  await launch();
  await until(() => done.length === 1);
  await live.stop(10);
  expect(done).toEqual(['a']);
  stuck = false;
  await launch();
  await live.caughtUp();
  expect(done).toEqual(['a', 'b', 'c']);
});
