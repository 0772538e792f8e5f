/** The programs that are measured, each in a process of its own with an empty folder. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What can be started, by the name it has in the tables. */
export const PROGRAMS = {
  planlog: join(root, 'dist/src/server/main.js'),
  nest: join(root, 'bench/bare/nest.mjs'),
  fastify: join(root, 'bench/bare/fastify.mjs'),
};

const TICKS_PER_SECOND = 100;
const STOP_WITHIN_MS = 10_000;

/** A folder for one server's data. */
export function makeDataDir() {
  return mkdtempSync(join(tmpdir(), 'planlog-bench-'));
}

export function removeDataDir(directory) {
  rmSync(directory, { recursive: true, force: true });
}

/**
 * Starts a program and waits until it says where it listens.
 *
 * @param nodeArgs such as `--cpu-prof`
 * @param env what its environment holds beside the usual
 */
export async function startServer(
  name,
  { directory = makeDataDir(), nodeArgs = [], env = {} } = {},
) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...nodeArgs, PROGRAMS[name]], {
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: '0',
      PLANLOG_DATA_DIR: directory,
      PLANLOG_LOG_LEVEL: 'error',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const url = await new Promise((resolve, reject) => {
    let said = '';
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (text) => {
      said += text;
      const match = /listening on (http:\S+)/.exec(said);
      if (match) resolve(match[1]);
    });
    child.once('exit', (code) => reject(new Error(`${name} ended at its start (${code})`)));
  });
  return {
    name,
    url,
    directory,
    startMs: performance.now() - startedAt,
    /** Seconds of CPU the process has used; undefined where the system does not say. */
    cpuSeconds: () => cpuSeconds(child.pid),
    /** Resident memory in MiB; undefined where the system does not say. */
    residentMib: () => residentMib(child.pid),
    /** @param keep whether its folder stays */
    async stop({ keep = false } = {}) {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
      await exited;
      clearTimeout(timer);
      if (!keep) removeDataDir(directory);
    },
  };
}

function cpuSeconds(pid) {
  const stat = readProc(pid, 'stat');
  if (stat === undefined) return undefined;
  // Fields 14 and 15 of the whole, counted behind the name, which may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function residentMib(pid) {
  const match = /VmRSS:\s+(\d+) kB/.exec(readProc(pid, 'status') ?? '');
  return match ? Number(match[1]) / 1024 : undefined;
}

function readProc(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}
