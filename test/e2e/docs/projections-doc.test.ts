/** The code of docs/projections.md compiles as it stands, and does what the page says. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { codeBlocks } from './code-blocks.js';

const blocks = codeBlocks('docs/projections.md');
/** The page's files, by name. They lie in a folder of their own, beside what they import. */
const files = new Map(
  blocks
    .filter(({ language }) => language === 'ts')
    .map(({ text }) => [/^\/\/ (\S+)/.exec(text)?.[1] ?? '', besideTheSources(text)]),
);
const folder = `docs-projections-${process.pid}`;
const compiled = resolve('dist/src', folder);

let directory: string;
let emitted: Map<string, string>;
let problems: string[];
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'planlog-projections-doc-'));
  ({ emitted, problems } = compile());
  await mkdir(compiled);
  for (const [name, text] of emitted) await writeFile(join(compiled, name), text);
}, 120_000);
afterAll(async () => {
  await rm(compiled, { recursive: true, force: true });
  await rm(directory, { recursive: true });
});

it('has no block that is not looked at here', () => {
  expect([...files.keys()]).toEqual([
    'approvals.projection.ts',
    'approvals.module.ts',
    'approvals.main.ts',
    'approvals.operations.ts',
  ]);
  const others = blocks.filter(({ language }) => language !== 'ts');
  expect(others.map(({ language }) => language)).toEqual(['text']);
});

it('its files compile', () => {
  expect(problems).toEqual([]);
  expect(emitted.size).toBe(files.size);
});

it('its application prints what the page shows', async () => {
  const shown = blocks.find(({ language }) => language === 'text')?.text;
  expect((await run('approvals.main.js')).trim()).toBe(shown);
}, 60_000);

it('its application can be looked after as the page shows', async () => {
  await writeFile(join(compiled, 'use.js'), USE);
  const said = (await run('use.js')).trim().split('\n');
  expect(said).toEqual([
    'paused {"requested":1,"granted":1}',
    'resumed {"requested":2,"granted":1}',
    'parked 1',
    'generation 2 is failed',
    'deploy stands at revision 3 of approval-deploy',
    'mended 0 {"requested":2,"granted":1}',
    '1 kept, 2 failed, 3 serving',
    'rebuilt {"requested":2,"granted":1}',
  ]);
}, 60_000);

/** What a reader does next: the same application again, on the log that is there. */
const USE = `
import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventSourcingModule } from '../event-sourcing/event-sourcing.module.js';
import { openSqliteEventLog } from '../events/log/sqlite/open-sqlite-event-log.js';
import { sqliteReadModels } from '../projections/read-model/sqlite/sqlite-read-models.js';
import { ProjectionHost } from '../projections/runtime/projection-host.js';
import { Approvals, ApprovalsModule } from './approvals.module.js';
import { mend, rebuild, whilePaused } from './approvals.operations.js';

const log = await openSqliteEventLog({ directory: './data' });
class AppModule {}
Module({
  imports: [
    EventSourcingModule.forRoot({ log, readModels: sqliteReadModels('./data') }),
    ApprovalsModule,
  ],
})(AppModule);
const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
const host = app.get(ProjectionHost);
const list = app.get(Approvals);
await host.caughtUp();
const say = async (what) => console.log(what, JSON.stringify(await list.of('deploy')));
const append = async (at, type, data) => {
  const events = [{ id: randomUUID(), type, data, metadata: {} }];
  return (await log.append('approval-deploy', at, events)).position;
};

let position;
await whilePaused(host, async () => {
  position = await append(1n, 'approval/requested', {});
  const [{ state }] = await host.statuses();
  await say(state);
});
await list.reached(position);
await say('resumed');

await list.reached(await append(2n, 'approval/granted', { by: 7 }));
const parked = async () => (await host.statuses())[0].parked;
console.log('parked ' + (await parked()));
await rebuild(host).catch(({ message }) => console.log(message));
await mend(host);
await say('mended ' + (await parked()));

await rebuild(host);
const all = await host.projection('approvals').listGenerations(undefined);
console.log(all.map(({ generation, state }) => generation + ' ' + state).join(', '));
await say('rebuilt');
await app.close();
`;

/** As the page's files are at the top of the sources, and these are one folder further down. */
function besideTheSources(text: string): string {
  return text.replaceAll(/from '\.\/(?!approvals\.)/g, "from '../");
}

/** With the project's own settings, and without a file on the disk. */
function compile(): { emitted: Map<string, string>; problems: string[] } {
  const { config } = ts.readConfigFile('tsconfig.json', (path) => ts.sys.readFile(path)) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, process.cwd());
  const virtual = new Map(
    [...files].map(([name, text]) => [resolve('src', folder, name), text] as const),
  );
  const compilerOptions = { ...options, sourceMap: false, declaration: false };
  const disk = ts.createCompilerHost(compilerOptions);
  const host: ts.CompilerHost = {
    ...disk,
    directoryExists: (path) =>
      path === resolve('src', folder) || (disk.directoryExists?.(path) ?? true),
    fileExists: (path) => virtual.has(path) || disk.fileExists(path),
    readFile: (path) => virtual.get(path) ?? disk.readFile(path),
    getSourceFile: (path, version, ...rest) => {
      const text = virtual.get(path);
      if (text === undefined) return disk.getSourceFile(path, version, ...rest);
      return ts.createSourceFile(path, text, version);
    },
  };
  const program = ts.createProgram([...virtual.keys()], compilerOptions, host);
  const results = { emitted: new Map<string, string>(), problems: [] as string[] };
  for (const path of virtual.keys()) {
    const source = program.getSourceFile(path);
    for (const { messageText } of ts.getPreEmitDiagnostics(program, source)) {
      results.problems.push(`${path}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
    }
    program.emit(source, (output, text) => {
      results.emitted.set(output.slice(output.lastIndexOf('/') + 1), text);
    });
  }
  return results;
}

async function run(name: string): Promise<string> {
  const script = join(compiled, name);
  return (await promisify(execFile)(process.execPath, [script], { cwd: directory })).stdout;
}
