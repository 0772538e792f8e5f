/** Entry of the stock server alone: what `planlog serve` does, with less to load. */
import { serve } from './serve.js';

const stopping = new AbortController();
process.on('SIGTERM', stop);
process.on('SIGINT', stop);

process.exitCode = await serve({
  env: process.env,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  signal: stopping.signal,
});

function stop(): void {
  stopping.abort();
}
