/**
 * A process of its own that appends through the log and then ends by itself: an exception or a
 * rejection that nobody handles ends it with another code, a leak does not let it end.
 *
 * Arguments: connection string, a second one or "", how many appends at once. It prints a line
 * when all are under way, and another that says how each came out; then it waits for the end of
 * its standard input.
 */
import { randomUUID } from 'node:crypto';
import { finished } from 'node:stream/promises';
import { openEsdbEventLog } from '../../../src/events/log/esdb/open-esdb-event-log.js';

const [first = '', second = '', count = '100'] = process.argv.slice(2);

const logs = await Promise.all(
  [first, second]
    .filter((url) => url !== '')
    .map((connectionString) => openEsdbEventLog({ connectionString, appendTimeoutMs: 3_000 })),
);
const appends = logs.flatMap((log) =>
  Array.from({ length: Number(count) }, () =>
    log
      .append(`process-${randomUUID()}`, 'no_stream', [
        { id: randomUUID(), type: 'load', data: { text: 'x'.repeat(2_000) }, metadata: {} },
      ])
      .then(
        () => 'done',
        (error: unknown) =>
          error instanceof Error && 'code' in error ? error.code : String(error),
      ),
  ),
);
process.stdout.write('under way\n');
const tally: Record<string, number> = {};
for (const outcome of await Promise.all(appends)) {
  tally[String(outcome)] = (tally[String(outcome)] ?? 0) + 1;
}
process.stdout.write(`${JSON.stringify(tally)}\n`);
await finished(process.stdin.resume());
await Promise.all(logs.map((log) => log.close()));
