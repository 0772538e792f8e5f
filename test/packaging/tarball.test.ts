/** The package as it is published: its command line runs, and it holds what that needs. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SLOW = 90_000;

let directory: string;
let scratch: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'planlog-tarball-'));
  scratch = join(directory, 'scratch');
  const modules = join(scratch, 'node_modules');
  await mkdir(join(modules, 'planlog'), { recursive: true });
  // dist/ is built by now, and prepack would take the tests' own files away.
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', directory]);
  const [tarball] = (await readdir(directory)).filter((name) => name.endsWith('.tgz'));
  await run('tar', ['-xzf', join(directory, tarball ?? ''), '--strip-components=1'], {
    cwd: join(modules, 'planlog'),
  });
  // Its dependencies, and no other package of this repository.
  const { dependencies } = JSON.parse(await readFile('package.json', 'utf8')) as {
    dependencies: Record<string, string>;
  };
  for (const name of Object.keys(dependencies)) {
    await mkdir(join(modules, name, '..'), { recursive: true });
    await symlink(join(process.cwd(), 'node_modules', name), join(modules, name));
  }
  await writeFile(join(scratch, 'package.json'), '{"name":"scratch","private":true}');
  // What an install does last: npm makes the command, and lets it be run.
  await run('npm', ['rebuild', '--ignore-scripts', 'planlog'], { cwd: scratch });
}, SLOW);
afterAll(() => rm(directory, { recursive: true, force: true }));

it('holds the program, its licence and its documents, and no tests', async () => {
  const found = await readdir(join(scratch, 'node_modules/planlog'), { recursive: true });
  expect(found).toEqual(
    expect.arrayContaining(['dist/src/cli/planlog.js', 'LICENSE', 'README.md', 'CHANGELOG.md']),
  );
  expect(found.filter((name) => name.startsWith('dist/test') || name.includes('.test.'))).toEqual(
    [],
  );
});

it(
  'npx planlog says its version and its commands',
  async () => {
    const npx = (...args: string[]) =>
      run('npx', ['--no-install', 'planlog', ...args], { cwd: scratch });
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    expect((await npx('--version')).stdout).toBe(`${version}\n`);
    expect((await npx('--help')).stdout).toContain('  serve ');
    await expect(npx('no-such-command')).rejects.toMatchObject({ code: 2 });
  },
  SLOW,
);

it(
  'npx planlog serve serves, and ends by itself on the Ctrl-C of a terminal',
  async () => {
    const child = spawn('npx', ['--no-install', 'planlog', 'serve'], {
      cwd: scratch,
      env: { ...process.env, PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
      // npx and the server form one group, as in a terminal.
      detached: true,
    });
    const said = { out: '', err: '' };
    child.stderr.on('data', (chunk: Buffer) => (said.err += chunk.toString()));
    const exited = once(child, 'exit');
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout.on('data', (chunk: Buffer) => {
        said.out += chunk.toString();
        const found = /listening on (http:\S+)/.exec(said.out)?.[1];
        if (found !== undefined) resolve(found);
      });
      child.once('exit', () => {
        reject(new Error(said.out + said.err));
      });
    });
    const answer = await fetch(`${url}/v1/sessions/s1/turns`, { method: 'POST' });
    expect(answer.status).toBe(201);
    // The terminal sends it to both, and npx hands its own on: the server gets it twice.
    process.kill(-(child.pid ?? 0), 'SIGINT');
    await exited;
    expect(said.err).toBe('');
  },
  SLOW,
);
