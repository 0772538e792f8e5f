/** Entry of the demo: sessions to watch, against a server that runs. */
import { DEMO_USAGE, readDemoArguments } from './demo-options.js';
import { runDemo } from './run-demo.js';

const ending = new AbortController();
process.on('SIGINT', end);
process.on('SIGTERM', end);

try {
  const { help, speed, url } = readDemoArguments(process.argv.slice(2), process.env);
  if (help) {
    process.stdout.write(DEMO_USAGE);
  } else {
    await runDemo({
      url,
      speed,
      run: Date.now().toString(36),
      print: (line) => process.stdout.write(`${line}\n`),
      signal: ending.signal,
    });
  }
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`demo: ${reason.replaceAll(/\s+/g, ' ')}\n`);
  process.exitCode = 1;
}

/** The second signal does not wait for turns to be closed. */
function end(): void {
  if (ending.signal.aborted) process.exit(1);
  ending.abort();
}
