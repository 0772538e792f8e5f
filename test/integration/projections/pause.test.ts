/** A projection that a person has paused: it stands still over restarts, and says so. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteReadModels } from '../../../src/projections/read-model/sqlite/sqlite-read-models.js';
import type { LiveProjection } from '../../../src/projections/runtime/live-projection.js';
import { ProjectionHost } from '../../../src/projections/runtime/projection-host.js';
import { MemoryEventLog } from '../../../src/testing/memory-event-log.js';
import { tell } from '../../faults/projections/faulty-log.js';
import { move, tally, type Tally } from './tally.js';

let directory: string;
let log: MemoryEventLog;
let host: ProjectionHost;
let live: LiveProjection<Tally>;
let other: LiveProjection<Tally>;

async function launch(): Promise<void> {
  host = new ProjectionHost(log, sqliteReadModels(directory));
  live = host.project(tally());
  other = host.project(tally({ name: 'other' }));
  await host.start();
  await host.caughtUp();
}

async function stateOf(name: string) {
  return host.projection(name).status(await log.head());
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'planlog-pause-'));
  log = new MemoryEventLog();
  await launch();
});

afterEach(async () => {
  await host.stop();
  await log.close();
  rmSync(directory, { recursive: true, force: true });
});

it('stands still, also over restarts, while others follow; resumed it goes on', async () => {
  const first = await tell(log, 'account-a', move(1));
  expect(await live.reached(first, 5_000)).toBe(true);
  await host.projection('tally').pause();
  for (let restart = 0; restart < 3; restart += 1) {
    if (restart > 0) {
      await host.stop();
      // A start waits for what will come to it, not for what a person has stopped.
      await launch();
    }
    const position = await tell(log, 'account-a', move(1));
    expect(await other.reached(position, 5_000)).toBe(true);
    expect(await live.reached(position, 20)).toBe(false);
    expect(await live.get('a')).toMatchObject({ row: { sum: 1 } });
    expect(await stateOf('tally')).toMatchObject({ state: 'paused', problem: null });
    expect(await stateOf('other')).toMatchObject({ state: 'live', distance: '0' });
  }
  // What it had reached before is reached.
  expect(await live.reached(first, 5_000)).toBe(true);
  await host.projection('tally').resume();
  expect(await live.reached(await log.head(), 5_000)).toBe(true);
  expect(await live.get('a')).toMatchObject({ row: { sum: 4, moves: 4 } });
  await host.stop();
  await launch();
  expect(await stateOf('tally')).toMatchObject({ state: 'live' });
});

it('says how far it is behind', async () => {
  await host.projection('tally').pause();
  for (let count = 0; count < 3; count += 1) await tell(log, 'account-a', move(1));
  expect(await stateOf('tally')).toMatchObject({ state: 'paused', distance: '3' });
});

it('is durable before it is done: a process that dies in between starts paused', async () => {
  await Promise.all([host.projection('tally').pause(), host.stop()]);
  await launch();
  expect(await stateOf('tally')).toMatchObject({ state: 'paused' });
});

it('does what was asked last, however many ask at once', async () => {
  const one = host.projection('tally');
  await Promise.all([one.pause(), one.resume(), one.pause(), one.pause(), one.resume()]);
  const position = await tell(log, 'account-a', move(1));
  expect(await live.reached(position, 5_000)).toBe(true);
  await Promise.all([one.resume(), one.pause()]);
  expect(await stateOf('tally')).toMatchObject({ state: 'paused' });
});

it('can be paused and resumed while nothing follows the log', async () => {
  await host.stop();
  host = new ProjectionHost(log, sqliteReadModels(directory));
  host.project(tally());
  await host.open();
  await host.projection('tally').pause();
  expect(await stateOf('tally')).toMatchObject({ state: 'paused' });
  await host.stop();
  await launch();
  expect(await stateOf('tally')).toMatchObject({ state: 'paused' });
});

it('names what there is where there is no such projection', () => {
  expect(() => host.projection('tali')).toThrow(
    'there is no projection tali; there are: tally, other',
  );
  expect(host.projections().map(({ name }) => name)).toEqual(['tally', 'other']);
});
