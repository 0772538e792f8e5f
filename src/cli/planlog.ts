#!/usr/bin/env node
/** Entry of the command line: `planlog <command>`. */
import { runCli } from './frame/run-cli.js';
import { VERBS } from './verbs.js';

/** npm hands on to its child the Ctrl-C that the terminal has sent to both. */
const SAME_SIGNAL_MS = 500;

const [, , ...args] = process.argv;
const stopping = new AbortController();
let stoppedAt = 0;
process.on('SIGTERM', stop);
process.on('SIGINT', stop);
// Whoever reads the output has seen enough, such as `head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

process.exitCode = await runCli(VERBS, args, version, {
  env: process.env,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  isTerminal: process.stderr.isTTY,
  signal: stopping.signal,
});

async function version(): Promise<string> {
  const { packageVersion } = await import('../api/openapi/package-version.js');
  return packageVersion();
}

/** A second signal does not wait for an orderly end; the server has a limit of its own. */
function stop(): void {
  if (!stopping.signal.aborted) {
    stoppedAt = performance.now();
    stopping.abort();
  } else if (args[0] !== 'serve' && performance.now() - stoppedAt > SAME_SIGNAL_MS) {
    process.exit(1);
  }
}
