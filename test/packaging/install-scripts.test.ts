/**
 * No dependency needs its install script, so `npm ci` works where npm blocks scripts and where
 * there is no compiler.
 */
import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { z } from 'zod';

/** Packages with an install script, and why it may stay away. A new one fails the test: see
 * first that it works after `npm ci --ignore-scripts`. */
const HARMLESS: Readonly<Record<string, string>> = {
  '@parcel/watcher': 'development only; its binaries are packages of their own',
  '@photostructure/sqlite': 'its binaries are in the package; the script would build one',
  '@scarf/scarf': 'telemetry, which package.json turns off',
  'cpu-features': 'development only, and optional: ssh2 does without',
  protobufjs: 'a warning about version ranges',
  ssh2: 'development only; its script would build faster ciphers',
};

/** What the binaries in the package must cover. */
const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64'];

const lockFile = z.object({
  packages: z.record(z.string(), z.object({ hasInstallScript: z.boolean().optional() })),
});

it('knows every package that has an install script', async () => {
  const { packages } = lockFile.parse(JSON.parse(await readFile('package-lock.json', 'utf8')));
  const found = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
  expect(found.sort()).toEqual(Object.keys(HARMLESS).sort());
});

it('CI itself installs without scripts', async () => {
  const installs = (await readFile('.ci/run', 'utf8')).match(/^npm (ci|install|i)\b.*$/gm);
  expect(installs).toHaveLength(1);
  expect(installs?.[0]).toContain(' --ignore-scripts');
});

it('runs the database from binaries that came with the package, for each platform', async () => {
  for (const platform of PLATFORMS) {
    const binaries = `node_modules/@photostructure/sqlite/prebuilds/${platform}`;
    expect((await stat(binaries)).isDirectory()).toBe(true);
  }
  const script =
    "import { DatabaseSync } from '@photostructure/sqlite';" +
    "new DatabaseSync(':memory:').exec('CREATE TABLE t (a)');" +
    'const { sharedObjects } = process.report.getReport();' +
    "console.log(JSON.stringify(sharedObjects.filter((file) => file.endsWith('.node'))));";
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
  const loaded = z.array(z.string()).parse(JSON.parse(stdout));
  expect(loaded).toEqual([expect.stringMatching(/sqlite[\\/]prebuilds[\\/]/)]);
});
