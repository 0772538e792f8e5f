/** The stock server from its start to its end: what it says, and with what it exits. */
import { readConfig } from './config.js';
import type { Planlog } from './create-server.js';

/** A stop that takes this long hangs: better an exit that says so. */
const STOP_WITHIN_MS = 10_000;

/** What a server is given by its process. */
export interface ServeContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Aborts when the server is to stop. */
  readonly signal: AbortSignal;
}

/**
 * Starts the server, says where it listens, and stops it when the signal aborts.
 *
 * @returns what the process exits with: 1 where it could not start, or not stop cleanly
 */
export async function serve({ env, out, err, signal }: ServeContext): Promise<0 | 1> {
  let server: Planlog;
  let note: string;
  try {
    const config = readConfig(env);
    note = config.auth ? '' : ' (loopback only: no auth is configured)';
    // Loaded after the environment was read: a bad value is told at once.
    const { startPlanlog } = await import('./create-server.js');
    server = await startPlanlog(config, signal);
  } catch (error) {
    // Told to stop while it waited for its log: that is no failure.
    if (signal.aborted) return 0;
    err(`planlog cannot start: ${reasonOf(error)}\n`);
    return 1;
  }
  const told = whenAborted(signal);
  // Until the read models have caught up, readers would see the past.
  await Promise.race([server.caughtUp(), told]);
  if (!signal.aborted) {
    out(`planlog listening on ${server.url}${note}\n`);
  }
  await told;
  return shutDown(server, err);
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
}

async function shutDown(running: Planlog, err: ServeContext['err']): Promise<0 | 1> {
  // The timer does not keep the process alive: without a hang it exits by itself.
  setTimeout(() => {
    err('planlog did not stop in time\n');
    process.exit(1);
  }, STOP_WITHIN_MS).unref();
  try {
    await running.close();
    return 0;
  } catch (error) {
    err(`planlog did not stop cleanly: ${reasonOf(error)}\n`);
    return 1;
  }
}

/** One line that says what to do. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return oneLine(String(error));
  if ('code' in error && error.code === 'EADDRINUSE') {
    return `PORT is in use by another program (${oneLine(error.message)}); choose another, or 0`;
  }
  if (
    'code' in error &&
    error.code === 'EACCES' &&
    'syscall' in error &&
    error.syscall === 'listen'
  ) {
    return `this user may not listen on PORT (${oneLine(error.message)}); choose one above 1023`;
  }
  return oneLine(error.message);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
