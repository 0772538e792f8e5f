/** Directories for logs, and processes that hold one. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteEventLog } from '../../../src/events/log/sqlite/open-sqlite-event-log.js';
import type { SqliteEventLogOptions } from '../../../src/events/log/sqlite/log-options.js';
import type { SqliteEventLog } from '../../../src/events/log/sqlite/sqlite-event-log.js';

const directories: string[] = [];
const logs: SqliteEventLog[] = [];
const processes: ChildProcess[] = [];

/** Removes what the tests of a file left behind. Call it at the top of the file. */
export function cleanUpAfterwards(): void {
  afterEach(async () => {
    await Promise.all(logs.splice(0).map((log) => log.close()));
    for (const child of processes.splice(0)) {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
    }
    for (const directory of directories.splice(0)) {
      await rm(directory, { recursive: true, force: true });
    }
  });
}

export async function freshDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'planlog-log-'));
  directories.push(directory);
  return directory;
}

export async function openLog(options: SqliteEventLogOptions): Promise<SqliteEventLog> {
  const log = await openSqliteEventLog(options);
  logs.push(log);
  return log;
}

/** How a process of the log is run. */
export interface LogProcessOptions {
  /** A module that is loaded before the program. */
  readonly preload?: URL;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs `log-process.ts` and resolves at its first line of output. */
export async function startLogProcess(
  directory: string,
  what: 'hold' | 'use',
  { preload, env }: LogProcessOptions = {},
): Promise<{ child: ChildProcess; line: string }> {
  const script = new URL('./log-process.js', import.meta.url);
  const before = preload === undefined ? [] : ['--import', preload.href];
  const child = spawn(process.execPath, [...before, script.pathname, directory, what], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  processes.push(child);
  child.stdout.setEncoding('utf8');
  const line = await new Promise<string>((resolve) => {
    child.stdout.once('data', (text: string) => {
      resolve(text.trim());
    });
    child.once('exit', (code) => {
      resolve(`exit ${String(code)}`);
    });
  });
  return { child, line };
}
