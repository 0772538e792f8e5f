/**
 * The generic half stops in order: commands in flight settle, projections go on to the log's
 * head, the read models close, and the log closes last.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { Module, type INestApplicationContext, type NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { z } from 'zod';
import { CommandRuntime } from '../../../src/commands/runtime/command-runtime.js';
import { EventSourcingModule } from '../../../src/event-sourcing/event-sourcing.module.js';
import type { NewEvent } from '../../../src/events/log/event-log.js';
import type { ReadModel, ReadModels } from '../../../src/projections/read-model/read-model.js';
import { sqliteReadModels } from '../../../src/projections/read-model/sqlite/sqlite-read-models.js';
import { defineProjection } from '../../../src/projections/runtime/define-projection.js';
import { ProjectionHost } from '../../../src/projections/runtime/projection-host.js';
import { MemoryEventLog } from '../../../src/testing/memory-event-log.js';
import { eventually } from '../../contract/event-log/sample-events.js';
import { countOn } from '../../unit/commands/counter.js';

/** More than two batches. */
const EVENTS = 1_200;

const counts = defineProjection<number>({
  name: 'counts',
  version: 1,
  prefix: 's',
  row: z.number(),
  initial: 0,
  key: (event) => event.stream,
  evolve: (count) => count + 1,
});

function counted(): NewEvent {
  return { id: randomUUID(), type: 'counted', data: {}, metadata: {} };
}

/** Something that waits until it is let go. */
class Gate {
  waiting = 0;
  open!: () => void;
  readonly #opened = new Promise<void>((resolve) => (this.open = resolve));

  async pass(): Promise<void> {
    this.waiting += 1;
    await this.#opened;
  }
}

let directory: string;
let log: MemoryEventLog;
let app: INestApplicationContext;
/** What happened, in order. */
let trace: string[];
/** What holds up the projection's commits. */
let commits: Gate;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'planlog-shutdown-'));
  log = new MemoryEventLog();
  trace = [];
  commits = new Gate();
  const close = log.close.bind(log);
  jest.spyOn(log, 'close').mockImplementation(async () => {
    trace.push('log closes');
    await close();
  });
  const module = EventSourcingModule.forRoot({ log, readModels: traced(directory) });
  @Module({ imports: [module] })
  class Application {
    constructor(host: ProjectionHost) {
      host.project(counts);
    }
  }
  const options: Readonly<NestApplicationOptions> = { logger: false };
  app = await NestFactory.createApplicationContext(Application, options);
});
afterEach(async () => {
  jest.useRealTimers();
  commits.open();
  await app.close();
  await rm(directory, { recursive: true });
});

/** From here on no deadline passes by itself, however busy the machine is. */
function holdTime(): void {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
}

/** Lets everything happen that waits for nothing. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
}

/** Read models that tell of their commits and of their end. */
function traced(where: string): ReadModels {
  const models = sqliteReadModels(where);
  return {
    ...models,
    async open(shape, generation) {
      const rows = await models.open(shape, generation);
      const wrapped: typeof rows = {
        checkpoint: () => rows.checkpoint(),
        progress: () => rows.progress(),
        scan: (after, limit) => rows.scan(after, limit),
        sync: () => rows.sync(),
        get: (key) => rows.get(key),
        load: (keys) => rows.load(keys),
        countParked: () => rows.countParked(),
        parked: (after, limit) => rows.parked(after, limit),
        lastChange: () => rows.lastChange(),
        select: (query) => rows.select(query),
        changesAfter: (scope, change, limit) => rows.changesAfter(scope, change, limit),
        totals: (query) => rows.totals(query),
        async commit(writes, checkpoint, events) {
          await commits.pass();
          const entries = await rows.commit(writes, checkpoint, events);
          trace.push(`committed to ${checkpoint.position.commit.toString()}`);
          return entries;
        },
        async close() {
          await rows.close();
          trace.push('rows closed');
        },
      };
      return wrapped;
    },
  };
}

/** How many events the rows hold, read by another program after the stop. */
async function foldedInto(stream: string): Promise<number | undefined> {
  const rows: ReadModel<number> = await sqliteReadModels(directory).open(counts, 1);
  const entry = await rows.get(stream);
  await rows.close();
  return entry?.row;
}

it('drains the projections before the read models close, and the log after all', async () => {
  for (let at = 0; at < EVENTS; at += 400) {
    const events = Array.from({ length: 400 }, counted);
    await log.append('s', at === 0 ? 'no_stream' : BigInt(at - 1), events);
  }
  await eventually(() => commits.waiting === 1);

  holdTime();
  const closing = app.close();
  // Whatever does not wait for the first commit happens now, and is in the trace before it.
  await settle();
  await jest.advanceTimersByTimeAsync(100);
  expect(trace).toEqual([]);
  commits.open();
  await closing;
  expect(trace.slice(-3)).toEqual([`committed to ${EVENTS}`, 'rows closed', 'log closes']);
  expect(trace.length).toBeGreaterThan(4);
  expect(await foldedInto('s')).toBe(EVENTS);
});

it('lets a command in flight be done, and folds it', async () => {
  await app.get(ProjectionHost).caughtUp();
  commits.open();
  const appends = new Gate();
  const append = log.append.bind(log);
  jest.spyOn(log, 'append').mockImplementation(async (...args) => {
    await appends.pass();
    return append(...args);
  });
  const command = app.get(CommandRuntime).transact(countOn(log, 's', 'k'));
  await eventually(() => appends.waiting === 1);
  holdTime();
  const closing = app.close();
  await settle();
  expect(trace).toEqual([]);
  appends.open();
  await expect(command).resolves.toMatchObject({ kind: 'accepted' });
  await closing;
  expect(trace).toEqual(['committed to 1', 'rows closed', 'log closes']);
  expect(await foldedInto('s')).toBe(1);
});

it('does not wait for ever: what was not folded in time is folded at the next start', async () => {
  await log.append('s', 'no_stream', [counted()]);
  await eventually(() => commits.waiting === 1);
  holdTime();
  // The commit hangs until the test ends.
  const closing = app.close();
  await settle();
  expect(trace).toEqual([]);
  await jest.advanceTimersByTimeAsync(10_000);
  await closing;
  expect(trace.at(-1)).toBe('log closes');
  expect(await foldedInto('s')).toBeUndefined();
});
