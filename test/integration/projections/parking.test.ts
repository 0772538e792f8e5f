/** Keys that stand still: listed, folded anew, or led past the event that stopped them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { UnavailableError } from '../../../src/events/log/errors.js';
import type { StoredEvent } from '../../../src/events/log/event-log.js';
import { sqliteReadModels } from '../../../src/projections/read-model/sqlite/sqlite-read-models.js';
import type { RowEntry } from '../../../src/projections/read-model/read-model.js';
import type { Projection } from '../../../src/projections/runtime/define-projection.js';
import type { LiveProjection } from '../../../src/projections/runtime/live-projection.js';
import { ProjectionHost } from '../../../src/projections/runtime/projection-host.js';
import { FaultyLog, tell, until } from '../../faults/projections/faulty-log.js';
import { applied, closed, move, tally, type Tally } from './tally.js';

const named = z.object({ account: z.string() });

let directory: string;
let log: FaultyLog;
let host: ProjectionHost;
let live: LiveProjection<Tally>;

async function launch(projection: Projection<Tally> = tally()): Promise<void> {
  host = new ProjectionHost(log, sqliteReadModels(directory));
  live = host.project(projection);
  await host.start();
  await host.caughtUp();
}

/** Appends, and waits until it is committed. */
async function told(account: string, ...moves: Parameters<typeof tell>[2][]): Promise<void> {
  const position = await tell(log, `account-${account}`, ...moves);
  expect(await live.reached(position, 5_000)).toBe(true);
}

function entryOf(account: string): Promise<RowEntry<Tally> | undefined> {
  return live.get(account);
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'planlog-parking-'));
  log = new FaultyLog();
  await launch();
});

afterEach(async () => {
  await host.stop();
  await log.close();
  rmSync(directory, { recursive: true, force: true });
});

describe('the list', () => {
  it('names each key, the event and the reason, by pages in the order of keys', async () => {
    for (const name of ['d', 'b', 'a', 'c']) await told(name, move(1), move('x'));
    await told('e', move(1));
    const first = await live.parkedKeys(2);
    expect(first.map(({ key }) => key)).toEqual(['a', 'b']);
    const rest = await live.parkedKeys(9, 'b');
    expect(rest.map(({ key }) => key)).toEqual(['c', 'd']);
    expect(await live.parkedKeys(9, 'd')).toEqual([]);
    expect(first[0]?.parked).toMatchObject({ stream: 'account-a', revision: 1n });
    expect(first[0]?.parked.reason).toContain('expected number');
  });

  it('holds only those that stand still', async () => {
    expect(await live.parkedKeys(9)).toEqual([]);
    await told('a', move('x'));
    await told('a', closed);
    expect(await live.parkedKeys(9)).toEqual([]);
  });
});

describe('retry', () => {
  it('folds the whole stream with the fold as it is now, once, and raises the epoch', async () => {
    await told('a', move(1), move(2), move('3'), move(4));
    await told('b', move(7));
    expect(await entryOf('a')).toMatchObject({ row: { sum: 3, moves: 2 }, epoch: 1 });
    await host.stop();
    // A release later the fold can read it.
    const evolve: typeof applied = (row, event) => applied(row, lenient(event));
    await launch(tally({ evolve }));
    expect(await live.retry('a')).toEqual({ key: 'a', parked: undefined });
    expect(await entryOf('a')).toMatchObject({
      row: { sum: 10, moves: 4 },
      epoch: 2,
      parked: undefined,
    });
    await told('a', move(5));
    expect(await entryOf('a')).toMatchObject({ row: { sum: 15, moves: 5 }, epoch: 2 });
    expect(await entryOf('b')).toMatchObject({ row: { sum: 7 }, epoch: 0 });
  });

  it('parks it again where it still cannot be folded, and says so', async () => {
    await told('a', move(1), move('x'), move(2));
    expect(await live.retry('a')).toMatchObject({ key: 'a', parked: { revision: 1n } });
    const entry = await entryOf('a');
    expect(entry).toMatchObject({ row: { sum: 1 }, parked: { revision: 1n } });
    expect(entry?.epoch).toBeGreaterThan(1);
  });

  it('tells those who follow the key, and gives it a change number of its own', async () => {
    await told('a', move(1), move('x'));
    await told('b', move(1));
    const heard: RowEntry<Tally>[] = [];
    live.subscribe('a', (entry) => heard.push(entry));
    live.subscribeAll((entry) => heard.push(entry));
    await live.discard('a');
    const entry = await entryOf('a');
    expect(heard).toEqual([entry, entry]);
    expect(entry?.change).toBeGreaterThan((await entryOf('b'))?.change ?? 0);
  });

  it('is the same where a key is fed by many streams, which takes the whole log', async () => {
    await host.stop();
    const key = ({ data }: StoredEvent) => named.parse(data).account;
    const evolve: typeof applied = (row, event) => applied(row, fixed ? lenient(event) : event);
    let fixed = false;
    const { stream: _, ...shape } = tally({ name: 'by-account', key, evolve });
    await launch(shape);
    await told('1', move(1, 'a'), move(10, 'b'));
    await told('2', move('2', 'a'), move(20, 'b'));
    await told('1', move(4, 'a'));
    expect(await entryOf('a')).toMatchObject({ row: { sum: 1 }, parked: { stream: 'account-2' } });
    fixed = true;
    expect(await live.retry('a')).toEqual({ key: 'a', parked: undefined });
    expect(await entryOf('a')).toMatchObject({ row: { sum: 7, moves: 3 }, epoch: 2 });
    expect(await entryOf('b')).toMatchObject({ row: { sum: 30 }, epoch: 0 });
    expect(log.live).toBe(1);
  });

  it('refuses a key that is not parked, or that nobody knows', async () => {
    await told('a', move(1));
    for (const key of ['a', 'z']) {
      await expect(live.retry(key)).rejects.toMatchObject({ code: 'not_parked', key });
      await expect(live.discard(key)).rejects.toMatchObject({ code: 'not_parked', key });
    }
    expect(await entryOf('a')).toMatchObject({ row: { sum: 1 }, epoch: 0 });
  });

  it('changes nothing where the log cannot be read', async () => {
    await told('a', move(1), move('x'));
    const before = await entryOf('a');
    const read = log.read.bind(log);
    log.read = () => {
      throw new UnavailableError('unreachable', 'the server is gone');
    };
    await expect(live.retry('a')).rejects.toMatchObject({ code: 'unavailable' });
    await expect(live.discard('a')).rejects.toMatchObject({ code: 'unavailable' });
    log.read = read;
    expect(await entryOf('a')).toEqual(before);
    // Others flow: nothing is held.
    await told('b', move(1));
    await live.discard('a');
  });

  it('finds a stream that was truncated, and folds what is left', async () => {
    await told('a', move('x'), closed);
    await told('b', move('x'));
    await log.truncate('account-b', 1n);
    expect(await live.retry('b')).toMatchObject({ parked: { revision: 0n } });
  });
});

describe('discard', () => {
  it('passes over the event for ever: now, after a restart, and where all is folded anew', async () => {
    await told('a', move(1), move('x'), move(2));
    expect(await live.discard('a')).toEqual({ key: 'a', parked: undefined });
    expect(await entryOf('a')).toMatchObject({ row: { sum: 3, moves: 2 }, epoch: 2 });
    await told('a', move(3));
    await host.stop();
    for (const end of ['', '-wal', '-shm']) {
      rmSync(join(directory, `tally.v1.g1.db${end}`), { force: true });
    }
    await launch();
    expect(await entryOf('a')).toMatchObject({ row: { sum: 6, moves: 3 }, parked: undefined });
  });

  it('of one event is not one of the next: that parks the key again', async () => {
    await told('a', move(1), move('x'), move(2), move('y'), move(4));
    expect(await live.discard('a')).toMatchObject({ key: 'a', parked: { revision: 3n } });
    expect(await entryOf('a')).toMatchObject({ row: { sum: 3 } });
    expect(await live.discard('a')).toEqual({ key: 'a', parked: undefined });
    expect(await entryOf('a')).toMatchObject({ row: { sum: 7, moves: 3 } });
  });

  it('touches no other key that holds such an event', async () => {
    for (const name of ['a', 'b']) await told(name, move(1), move('x'));
    await live.discard('a');
    expect((await live.parkedKeys(9)).map(({ key }) => key)).toEqual(['b']);
  });

  it('leaves nothing where the bad event was all there was', async () => {
    await told('a', move('x'));
    expect(await live.discard('a')).toEqual({ key: 'a', parked: undefined });
    expect(await entryOf('a')).toMatchObject({ row: undefined, parked: undefined, epoch: 2 });
    await told('a', move(5));
    expect(await entryOf('a')).toMatchObject({ row: { sum: 5, moves: 1 }, epoch: 2 });
  });
});

it('is in order with the runner: events that come meanwhile are neither lost nor folded twice', async () => {
  const names = ['a', 'b', 'c', 'd'];
  let sum = 0;
  for (const name of names) await told(name, move(1), move('x'));
  const discards = names.map((name) => live.discard(name));
  let position = await log.head();
  for (let round = 1; round <= 60; round += 1) {
    sum += round;
    for (const name of names) position = await tell(log, `account-${name}`, move(round));
    if (round % 7 === 0) await new Promise(setImmediate);
  }
  await Promise.all(discards);
  expect(await live.reached(position, 5_000)).toBe(true);
  for (const name of names) {
    expect(await entryOf(name)).toMatchObject({
      row: { sum: 1 + sum, moves: 61 },
      parked: undefined,
    });
  }
});

it('lets others flow while it reads, and holds them back only for the end', async () => {
  await told('a', move(1), move('x'), move(2));
  const reads: (() => void)[] = [];
  const read = log.read.bind(log);
  log.read = (stream, options) => delayed(read(stream, options));
  async function* delayed(
    events: AsyncIterable<StoredEvent>,
  ): AsyncGenerator<StoredEvent, void, undefined> {
    await new Promise<void>((resolve) => reads.push(resolve));
    yield* events;
  }
  const retrying = live.retry('a');
  await until(() => reads.length === 1);
  // The long reading: the projection goes on.
  await told('b', move(1));
  reads[0]?.();
  await until(() => reads.length === 2);
  // What came meanwhile is read with the gate closed.
  const held = await tell(log, 'account-b', move(2));
  expect(await live.reached(held, 50)).toBe(false);
  reads[1]?.();
  await retrying;
  expect(await live.reached(held, 5_000)).toBe(true);
  expect(await entryOf('a')).toMatchObject({ row: { sum: 1 }, parked: { revision: 1n } });
  expect(await entryOf('b')).toMatchObject({ row: { sum: 3, moves: 2 } });
});

it('does as well while the projection is paused', async () => {
  await told('a', move(1), move('x'), move(2));
  await host.projection('tally').pause();
  await tell(log, 'account-a', move(4));
  await live.discard('a');
  // What lies behind the checkpoint is folded, and nothing more.
  expect(await entryOf('a')).toMatchObject({ row: { sum: 3, moves: 2 } });
  await host.projection('tally').resume();
  expect(await live.reached(await log.head(), 5_000)).toBe(true);
  expect(await entryOf('a')).toMatchObject({ row: { sum: 7, moves: 3 } });
});

it('does as well where nothing follows the log: a program that only opens it', async () => {
  await told('a', move(1), move('x'), move(2));
  await host.stop();
  await tell(log, 'account-a', move(4));
  host = new ProjectionHost(log, sqliteReadModels(directory));
  live = host.project(tally());
  await host.open();
  expect((await live.parkedKeys(9)).map(({ key }) => key)).toEqual(['a']);
  await live.discard('a');
  expect(await entryOf('a')).toMatchObject({ row: { sum: 3 } });
  await host.stop();
  await launch();
  expect(await entryOf('a')).toMatchObject({ row: { sum: 7 }, epoch: 2 });
});

/** An event as a later fold reads it: numbers may be text. */
function lenient(event: StoredEvent): StoredEvent {
  const { by, ...rest } = Object(event.data) as { by: unknown };
  return { ...event, data: { ...rest, by: Number(by) } };
}
