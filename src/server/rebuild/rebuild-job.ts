/**
 * Entry of the process that builds a generation: `rebuild-job.js <projection> <generation>`, with
 * the server's environment. Started by the server; it ends when the server does. Killed at any
 * moment it is started again, and goes on with what was written.
 */
import { messageOf } from '../../projections/runtime/runner-progress.js';
import { ReadModelLockedError } from '../../projections/read-model/read-model.js';
import { sqliteReadModels } from '../../projections/read-model/sqlite/sqlite-read-models.js';
import { readConfig } from '../config.js';
import { openLogToRead } from './open-log-to-read.js';
import { LOCKED_EXIT_CODE } from './process-jobs.js';
import { STOCK_REBUILDS } from './stock-rebuilds.js';

const stopping = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
// The server is gone: nobody would end this process.
process.on('disconnect', stop);
// It may have gone while this process came up: nothing says so any more.
if (process.send !== undefined && !process.connected) stop();

try {
  await run();
} catch (error) {
  if (!stopping.signal.aborted) {
    process.stderr.write(`planlog rebuild: ${messageOf(error).replace(/\s+/g, ' ')}\n`);
    process.exitCode = error instanceof ReadModelLockedError ? LOCKED_EXIT_CODE : 1;
  }
} finally {
  // The channel would keep the process alive.
  if (process.connected) process.disconnect();
}

async function run(): Promise<void> {
  const [, , name = '', number = ''] = process.argv;
  const rebuild = STOCK_REBUILDS.get(name);
  if (rebuild === undefined) throw new TypeError(`there is no projection "${name}"`);
  if (!/^[1-9]\d{0,8}$/.test(number)) throw new TypeError(`"${number}" is no generation`);
  const config = readConfig(process.env);
  const report = (message: string): void => {
    process.stderr.write(`planlog rebuild: ${message}\n`);
  };
  const log = await openLogToRead(config, stopping.signal, report);
  try {
    await rebuild.build({
      log,
      readModels: sqliteReadModels(config.dataDir),
      generation: Number(number),
      signal: stopping.signal,
      runner: {
        report: (message, error) => {
          report(`${message}: ${messageOf(error)}`);
        },
      },
    });
  } finally {
    await log.close();
  }
}

function stop(): void {
  stopping.abort();
}
