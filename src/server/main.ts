/** Entry of the stock server: starts it, says where it listens, and stops it on a signal. */
import { readConfig } from './config.js';
import type { Planlog } from './create-server.js';

/** A stop that takes this long hangs: better an exit that says so. */
const STOP_WITHIN_MS = 10_000;

let server: Planlog | undefined;
const stopping = new AbortController();

process.on('SIGTERM', stop);
process.on('SIGINT', stop);

try {
  const config = readConfig(process.env);
  // Loaded after the environment was read: a bad value is told at once.
  const { startPlanlog } = await import('./create-server.js');
  server = await startPlanlog(config);
  // Until the read models have caught up, readers would see the past.
  await server.caughtUp();
  if (stopping.signal.aborted) await shutDown(server);
  else {
    process.stdout.write(
      `planlog listening on ${server.url} (loopback only: no auth is configured)\n`,
    );
  }
} catch (error) {
  // Told to stop while it waited for its log: that is no failure.
  if (!stopping.signal.aborted) {
    process.stderr.write(`planlog cannot start: ${reasonOf(error)}\n`);
    process.exitCode = 1;
  }
}

/** A signal during the start takes effect when the start is done. */
function stop(): void {
  if (stopping.signal.aborted) return;
  stopping.abort();
  if (server !== undefined) void shutDown(server);
}

async function shutDown(running: Planlog): Promise<void> {
  // The timer does not keep the process alive: without a hang it exits by itself.
  setTimeout(() => {
    process.stderr.write('planlog did not stop in time\n');
    process.exit(1);
  }, STOP_WITHIN_MS).unref();
  try {
    await running.close();
  } catch (error) {
    process.stderr.write(`planlog did not stop cleanly: ${reasonOf(error)}\n`);
    process.exitCode = 1;
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
