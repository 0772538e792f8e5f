/** Every command of docs/auth.md does what the page says. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { authVariables } from '../../../src/server/auth-config.js';
import { readFileSync } from 'node:fs';
import { ServerProcess } from '../crash/server-process.js';
import { codeBlocks } from './code-blocks.js';

const PAGE = 'docs/auth.md';
const [chooseSecret, start, ask, receipt, ...rest] = codeBlocks(PAGE).map(({ text }) => text);

const shell = promisify(execFile);

async function bash(script: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { stdout } = await shell('bash', ['-euc', script], { env: { ...process.env, ...env } });
  return stdout;
}

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'planlog-auth-doc-'));
});
afterAll(() => rm(directory, { recursive: true }));

it('its commands choose a secret, mint a token with it, and are answered as shown', async () => {
  expect(rest).toEqual([]);
  // The README's own first command, which test/packaging runs.
  expect(start).toBe('npm start');
  const secret = await bash(`${chooseSecret}; printf %s "$PLANLOG_JWT_SECRET"`);
  const env = { PLANLOG_JWT_SECRET: secret };
  const server = await ServerProcess.start(directory, env);
  try {
    const script = (ask ?? '').replaceAll('http://127.0.0.1:3000', server.url);
    expect(JSON.parse(await bash(script, env))).toEqual(JSON.parse(receipt ?? ''));
    const stranger = script.replaceAll('$TOKEN', 'stranger');
    expect(JSON.parse(await bash(stranger, env))).toMatchObject({ code: 'unauthenticated' });
  } finally {
    await server.stop();
  }
});

it('names every variable that there is, and no other', () => {
  const named = [...readFileSync(PAGE, 'utf8').matchAll(/\| `(PLANLOG_\w+)`/g)].map(
    ([, name]) => name ?? '',
  );
  expect(named.sort()).toEqual(Object.keys(authVariables).sort());
});
