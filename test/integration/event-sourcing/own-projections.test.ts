/** Projections and reactions of other people's Nest applications are found and run by it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Module,
  Scope,
  type INestApplicationContext,
  type ModuleMetadata,
  type NestApplicationOptions,
  type Provider,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandBus } from '@nestjs/cqrs';
import { todoPolicySchema } from '../../../src/commands/policy.js';
import { StartTurn, WriteTodos } from '../../../src/commands/session/session-commands.js';
import { EventSourcingModule } from '../../../src/event-sourcing/event-sourcing.module.js';
import type { EventLog } from '../../../src/events/log/event-log.js';
import { openSqliteEventLog } from '../../../src/events/log/sqlite/open-sqlite-event-log.js';
import { sqliteReadModels } from '../../../src/projections/read-model/sqlite/sqlite-read-models.js';
import { defineReaction } from '../../../src/projections/runtime/define-reaction.js';
import { ProjectionHost } from '../../../src/projections/runtime/projection-host.js';
import { SessionTodos } from '../../../src/projections/session-todos/session-todos.js';
import { MemoryEventLog } from '../../../src/testing/memory-event-log.js';
import { TodosModule } from '../../../src/todos/todos.module.js';
import { eventually } from '../../contract/event-log/sample-events.js';
import {
  Approvals,
  approvals,
  ApprovalsModule,
  approvalsProjection,
  approvalsReader,
  record,
} from './approvals.js';

let directory: string;
let log: EventLog;
let apps: INestApplicationContext[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'planlog-own-'));
  log = new MemoryEventLog();
  apps = [];
});
afterEach(async () => {
  for (const app of apps) await app.close();
  await log.close();
  await rm(directory, { recursive: true });
});

async function start(more: ModuleMetadata): Promise<INestApplicationContext> {
  @Module({
    ...more,
    imports: [
      EventSourcingModule.forRoot({ log, readModels: sqliteReadModels(directory) }),
      ...(more.imports ?? []),
    ],
  })
  class Application {}
  const options: Readonly<NestApplicationOptions> = { logger: false, abortOnError: false };
  const app = await NestFactory.createApplicationContext(Application, options);
  apps.push(app);
  await app.get(ProjectionHost).caughtUp();
  return app;
}

function todos(): ReturnType<typeof TodosModule.forRoot> {
  return TodosModule.forRoot({
    policy: todoPolicySchema.parse({ allowParallelInProgress: false }),
  });
}

async function running(app: INestApplicationContext): Promise<string[]> {
  return (await app.get(ProjectionHost).statuses()).map(({ name }) => name).sort();
}

it('runs the projection of a module, without the checklist, and again after a restart', async () => {
  log = await openSqliteEventLog({ directory });
  const first = await start({ imports: [ApprovalsModule] });
  const then = await record(log, 'deploy', ['requested', 'granted', 'requested']);
  expect(await first.get(Approvals).after(then, 'deploy')).toEqual({ requested: 2, granted: 1 });
  expect(await running(first)).toEqual(['approvals']);
  await first.close();

  log = await openSqliteEventLog({ directory });
  const second = await start({ imports: [ApprovalsModule] });
  const now = await record(log, 'deploy', ['granted'], 2n);
  expect(await second.get(Approvals).after(now, 'deploy')).toEqual({ requested: 2, granted: 2 });
});

it('runs it beside the checklist, each over its own streams', async () => {
  const app = await start({ imports: [todos(), ApprovalsModule] });
  expect(await running(app)).toEqual([
    'approvals',
    'session-overview',
    'session-todos',
    'truncate-deleted-sessions',
  ]);
  const session = { tenant: 'default', sessionId: 's1' };
  const envelope = (commandId: string) => ({
    actor: { kind: 'agent' as const, subject: 'test' },
    commandId,
  });
  const asked = await record(log, 's1', ['requested']);
  const bus = app.get(CommandBus);
  await bus.execute(new StartTurn(session, { turnId: 't1' }, envelope('k1')));
  const list = [{ content: 'Ask', status: 'pending' }];
  const write = new WriteTodos(session, { turnId: 't1', todos: list }, envelope('k2'));
  const { position } = await bus.execute(write);
  const read = app.get(SessionTodos);
  expect(await read.reached(position, 10_000)).toBe(true);
  expect(await read.snapshot(session)).toMatchObject({ view: { todos: list } });
  expect(await app.get(Approvals).after(asked, 's1')).toEqual({ requested: 1, granted: 0 });
});

it.each<[string, Provider[]]>([
  ['a value', [{ provide: 'A', useValue: approvals }]],
  ['a factory', [{ provide: 'A', useFactory: () => approvals }]],
  [
    'an asynchronous factory',
    [{ provide: 'A', useFactory: () => new Promise((done) => setImmediate(done, approvals)) }],
  ],
  [
    'several providers',
    [
      { provide: 'A', useValue: approvals },
      { provide: 'B', useExisting: 'A' },
      { provide: Symbol('C'), useFactory: () => approvals },
    ],
  ],
])('finds it as %s', async (_, providers) => {
  const app = await start({ providers: [...providers, approvalsReader] });
  const position = await record(log, 'deploy', ['requested']);
  expect(await app.get(Approvals).after(position, 'deploy')).toEqual({ requested: 1, granted: 0 });
  expect(await running(app)).toEqual(['approvals']);
});

it('takes one that was added by hand and is provided as well', async () => {
  const app = await start({
    providers: [
      { provide: 'A', useValue: approvals },
      {
        provide: 'BY_HAND',
        inject: [ProjectionHost],
        useFactory: (host: ProjectionHost) => host.project(approvals),
      },
    ],
  });
  expect(await running(app)).toEqual(['approvals']);
});

it('runs the reaction of a module', async () => {
  const handled: string[] = [];
  const notify = defineReaction({
    name: 'notify',
    version: 1,
    prefix: 'approval-',
    wants: ({ type }) => type === 'granted',
    handle: ({ stream }) => Promise.resolve(void handled.push(stream)),
  });
  await start({ providers: [{ provide: 'NOTIFY', useFactory: () => notify }] });
  await record(log, 'deploy', ['requested', 'granted']);
  await eventually(() => handled.length > 0);
  expect(handled).toEqual(['approval-deploy']);
});

it.each([Scope.REQUEST, Scope.TRANSIENT])(
  'fails the start where the projection that is read is made too late: scope %d',
  async (scope) => {
    const late = { provide: 'A', scope, useFactory: () => approvals };
    await expect(start({ providers: [late, approvalsReader] })).rejects.toThrow(
      'a request-scoped or transient provider, do not count',
    );
  },
);

it('fails the start where a reader is of a projection that nobody provides', async () => {
  const failed = start({ providers: [approvalsReader] });
  await expect(failed).rejects.toMatchObject({
    code: 'projection_not_provided',
    projection: 'approvals',
    message: expect.stringContaining("{ provide: 'approvals', useValue: … }") as string,
  });
});

it('fails the start where a reader is of a copy of the one that is provided', async () => {
  const copy = {
    provide: Approvals,
    inject: [ProjectionHost],
    useFactory: (host: ProjectionHost) => new Approvals(host, { ...approvals }),
  };
  await expect(start({ providers: [{ provide: 'A', useValue: approvals }, copy] })).rejects.toThrow(
    'not with a copy',
  );
});

it('gives readers after the start as well, of what runs', async () => {
  const app = await start({ imports: [ApprovalsModule] });
  const host = app.get(ProjectionHost);
  const position = await record(log, 'deploy', ['requested']);
  const late = host.reader(approvals);
  expect(await late.reached(position, 10_000)).toBe(true);
  expect(await late.get('deploy')).toMatchObject({ row: { requested: 1 } });
  expect(() => host.reader(approvalsProjection('others'))).toThrow('nothing runs that projection');
});

it('fails the start where two have one name, names both, and opens nothing', async () => {
  @Module({ providers: [{ provide: Symbol('others'), useValue: approvalsProjection() }] })
  class OthersModule {}
  await expect(start({ imports: [ApprovalsModule, OthersModule] })).rejects.toMatchObject({
    code: 'projection_name_taken',
    message:
      'two projections or reactions are called approvals: one is provided by ' +
      "ApprovalsModule ('APPROVALS'), the other by OthersModule (Symbol(others)). " +
      'Rename one of the two',
  });
  const mine = { provide: 'MINE', useValue: approvalsProjection('session-todos') };
  await expect(start({ imports: [todos()], providers: [mine] })).rejects.toThrow(
    "Application ('MINE'), the other by TodosModule (Symbol(session-todos))",
  );
  const reaction = defineReaction({
    name: 'approvals',
    version: 1,
    prefix: '',
    wants: () => false,
    handle: () => Promise.resolve(),
  });
  const both = { imports: [ApprovalsModule], providers: [{ provide: 'R', useValue: reaction }] };
  await expect(start(both)).rejects.toThrow('called approvals');
  // Nothing of theirs is locked.
  expect(await running(await start({ imports: [ApprovalsModule] }))).toEqual(['approvals']);
});
