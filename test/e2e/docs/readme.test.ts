/** Every command and code block of the README does what the README says. */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { ServerProcess } from '../crash/server-process.js';
import { codeBlocks, type CodeBlock } from './code-blocks.js';

const ADDRESS = 'http://127.0.0.1:3000';
const blocks = codeBlocks('README.md');
const curls = blocks.filter(({ text }) => text.startsWith('curl '));

let directory: string;
let server: ServerProcess;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'planlog-readme-'));
  server = await ServerProcess.start(directory);
});
afterAll(async () => {
  await server.stop();
  await rm(directory, { recursive: true });
});

it('has no block that is not looked at here', () => {
  const known = new Set(['sh', 'json', 'text', 'ts']);
  expect(blocks.filter(({ language }) => !known.has(language))).toEqual([]);
  const shells = blocks.filter(({ language }) => language === 'sh');
  const rest = shells.filter((block) => !curls.includes(block)).map(({ text }) => text);
  // The first runs in test/packaging; the second is how these tests run.
  expect(rest).toEqual(['npm ci && npm start', 'npm ci && npm test']);
});

it('its curl commands answer as it shows', async () => {
  expect(curls.length).toBeGreaterThan(3);
  for (const curl of curls) {
    const shown = blocks[blocks.indexOf(curl) + 1];
    const command = curl.text.replaceAll(ADDRESS, server.url);
    if (shown?.language === 'json') {
      expect(JSON.parse(await run(command))).toEqual(JSON.parse(shown.text));
    } else if (command.includes('-sN')) {
      const shownFrame = shown?.text.slice(0, shown.text.indexOf('…')) ?? '';
      expect(await firstFrame(command)).toContain(shownFrame);
    } else {
      expect(JSON.parse(await run(command))).toMatchObject({ state: 'current', revision: '2' });
    }
  }
}, 60_000);

it('its demo goes as it shows', async () => {
  const shown =
    blocks.find(({ text }) => text.startsWith('security-review'))?.text.split('\n') ?? [];
  expect(shown.length).toBeGreaterThan(3);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['dist/src/cli/planlog.js', 'demo', '--speed', 'max'],
    { env: { ...process.env, PLANLOG_URL: server.url } },
  );
  const lines = stdout.split('\n').filter((line) => line.startsWith('security-review '));
  expect(lines).toEqual(shown);
}, 60_000);

it('its module starts and takes commands', async () => {
  const block = blocks.find(({ language }) => language === 'ts');
  expect(block).toBeDefined();
  const file = join('dist/src', `readme-${process.pid}.js`);
  await writeFile(file, `${transpile(block as CodeBlock)}\n${USE}`);
  try {
    const cwd = await mkdtemp(join(directory, 'module-'));
    const { stdout } = await promisify(execFile)(process.execPath, [join(process.cwd(), file)], {
      cwd,
    });
    expect(stdout).toContain('written at 2');
  } finally {
    await rm(file);
  }
}, 60_000);

it('names every variable that the server reads, and every route', async () => {
  const readme = await readFile('README.md', 'utf8');
  const config = await readFile('src/server/config.ts', 'utf8');
  const names = [...config.matchAll(/^ {2}([A-Z_]+): /gm)].map(([, name]) => name ?? '');
  expect(names.length).toBeGreaterThan(7);
  for (const name of names) expect(readme).toContain(`\`${name}\``);
  const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as { paths: object };
  expect(Object.keys(paths).length).toBeGreaterThan(10);
  for (const path of Object.keys(paths)) {
    if (!path.startsWith('/docs/')) expect(readme).toContain(path);
  }
});

/** What a reader does next with the README's module. */
const USE = `
import { NestFactory } from '@nestjs/core';
import { CommandBus } from '@nestjs/cqrs';
import { StartTurn, WriteTodos } from './commands/session/session-commands.js';
const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
const bus = app.get(CommandBus);
const session = { tenant: 'default', sessionId: 's1' };
const envelope = (commandId) => ({ actor: { kind: 'agent', subject: 'readme' }, commandId });
await bus.execute(new StartTurn(session, { turnId: 't1' }, envelope('k1')));
const receipt = await bus.execute(
  new WriteTodos(session, { turnId: 't1', todos: [] }, envelope('k2')),
);
console.log('written at ' + receipt.revision);
await app.close();
`;

function transpile({ text }: CodeBlock): string {
  return ts.transpileModule(text, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
    },
  }).outputText;
}

async function run(command: string): Promise<string> {
  return (await promisify(execFile)('bash', ['-c', command])).stdout;
}

/** What a stream says until its first frame is whole. */
function firstFrame(command: string): Promise<string> {
  const child = spawn('bash', ['-c', `exec ${command}`], { stdio: ['ignore', 'pipe', 'ignore'] });
  return new Promise((resolve, reject) => {
    let said = '';
    child.once('error', reject);
    child.once('exit', () => {
      reject(new Error(`the stream ended: ${said}`));
    });
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (!said.includes('\n\n')) return;
      resolve(said);
      child.kill();
    });
  });
}
