/** The stock server as a process, with all that it says. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

const MAIN = join(import.meta.dirname, '../../../src/server/main.js');

/** A server that was started, and may have ended. */
export interface PlanlogProcess {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  /** Its exit code, when it has ended; null where a signal ended it. */
  readonly exited: Promise<number | null>;
  output: string;
  errors: string;
}

const started: PlanlogProcess[] = [];

/** @param env the whole environment but for PORT, which is 0 */
export function startProcess(env: Record<string, string>): PlanlogProcess {
  const child = spawn(process.execPath, [MAIN], {
    env: { PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'close').then(() => child.exitCode);
  const run: PlanlogProcess = { child, exited, output: '', errors: '' };
  child.stdout.on('data', (chunk: Buffer) => (run.output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (run.errors += chunk.toString()));
  started.push(run);
  return run;
}

/** Waits until it says where it listens. */
export async function urlOf(run: PlanlogProcess): Promise<string> {
  for (;;) {
    const url = /listening on (http:\/\/\S+)/.exec(run.output)?.[1];
    if (url !== undefined) return url;
    const code = await Promise.race([once(run.child.stdout, 'data'), run.exited]);
    if (!Array.isArray(code)) throw new Error(`exited with ${code}: ${run.errors}`);
  }
}

/** Ends every process that was started here. */
export async function killProcesses(): Promise<void> {
  for (const run of started.splice(0)) {
    run.child.kill('SIGKILL');
    await run.exited;
  }
}
