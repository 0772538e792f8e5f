/** The embedded log keeps the contract; also with bounds so small that each of them is met. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteEventLog } from '../../../src/events/log/sqlite/open-sqlite-event-log.js';
import type { SqliteEventLog } from '../../../src/events/log/sqlite/sqlite-event-log.js';
import { describeEventLogContract, describeWithLog } from './event-log-contract.js';
import { describeModel } from './model-contract.js';
import { describePulls } from './pull-contract.js';

const directories: string[] = [];
async function freshDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'planlog-log-'));
  directories.push(directory);
  return directory;
}

afterAll(async () => {
  for (const directory of directories) await rm(directory, { recursive: true, force: true });
});

describeEventLogContract('embedded', async () =>
  openSqliteEventLog({ directory: await freshDirectory() }),
);

describe('the embedded log with a tail of three events and batches of two', () => {
  const open = async (): Promise<SqliteEventLog> =>
    openSqliteEventLog({ directory: await freshDirectory(), tailEvents: 3, maxBatchAppends: 2 });
  describeWithLog(open, describePulls);
  describeModel(open);
});
