/** `npm start` in a copy of the sources, as in a fresh clone after `npm ci`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'planlog-start-'));
  for (const part of ['src', 'package.json', 'tsconfig.json', 'tsconfig.build.json']) {
    await cp(part, join(directory, part), { recursive: true });
  }
  await symlink(join(process.cwd(), 'node_modules'), join(directory, 'node_modules'));
});
afterAll(() => rm(directory, { recursive: true }));

it('builds, serves, and ends by itself on SIGTERM with clients connected', async () => {
  const child = spawn('npm', ['start'], {
    cwd: directory,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // npm and the server form one group, as in a terminal.
    detached: true,
  });
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    const hear = (chunk: Buffer) => {
      said += chunk.toString();
      const found = /listening on (http:\S+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', () => {
      reject(new Error(said));
    });
  });
  const answer = await fetch(`${url}/v1/sessions/s1/turns`, { method: 'POST' });
  expect(answer.status).toBe(201);
  const stream = await fetch(`${url}/v1/sessions/s1/todos/events`);
  expect(stream.status).toBe(200);
  const exited = once(child, 'exit');
  process.kill(-(child.pid ?? 0), 'SIGTERM');
  await exited;
  expect(await stream.text()).toContain('event: todos');
}, 90_000);
