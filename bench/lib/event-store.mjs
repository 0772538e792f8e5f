/** The EventStoreDB that is measured: the one that EVENTSTORE_URL names, or the stand-in's process. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const STAND_IN = fileURLToPath(
  new URL('../../dist/src/testing/eventstore-stand-in/main.js', import.meta.url),
);

export async function startEventStore() {
  const named = process.env.EVENTSTORE_URL;
  if (named) return { url: named, what: 'the server of EVENTSTORE_URL', stop: () => undefined };
  // It ends with its standard input, so it never outlives this process.
  const child = spawn(process.execPath, [STAND_IN, '--port', '0'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { value: url } = await lines.next();
  if (url === undefined) throw new Error('the stand-in ended at its start');
  return {
    url,
    what: "the stand-in's process, which gzips its answers for those who read gzip",
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}
