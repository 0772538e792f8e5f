/** What an acknowledged append stands on: a file that is on disk, and so is the way to it. */
import { once } from 'node:events';
import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOG_START } from '../../../src/events/log/position.js';
import { logPath } from '../../../src/events/log/sqlite/log-file.js';
import { openSqliteEventLog } from '../../../src/events/log/sqlite/open-sqlite-event-log.js';
import {
  all,
  failure,
  sampleOfBytes,
  samples,
  untilCaughtUp,
} from '../../contract/event-log/sample-events.js';
import { cleanUpAfterwards, freshDirectory, openLog, startLogProcess } from './log-directory.js';

cleanUpAfterwards();

const MIB = 1024 * 1024;

it('syncs a new log, its entry and those of new directories, before it is used', async () => {
  const root = realpathSync(await freshDirectory());
  const directory = join(root, 'made', 'on the way');
  const record = join(root, 'syncs');
  const { child, line } = await startLogProcess(directory, 'use', {
    preload: new URL('./record-syncs.js', import.meta.url),
    env: { PLANLOG_TEST_SYNCS: record },
  });
  expect(line).toBe('used');
  if (child.exitCode === null) await once(child, 'exit');
  const path = logPath(directory);
  expect(readFileSync(record, 'utf8').trimEnd().split('\n')).toEqual([
    `sync ${join(root, 'made')}`,
    `sync ${root}`,
    `sync ${path}.new`,
    `rename ${path}.new ${path}`,
    `sync ${directory}`,
  ]);
});

it('copies what a killed process left in the -wal into the file, before it serves', async () => {
  const directory = await freshDirectory();
  const { child } = await startLogProcess(directory, 'hold');
  child.kill('SIGKILL');
  await once(child, 'exit');
  const wal = (): number => statSync(`${logPath(directory)}-wal`).size;
  expect(wal()).toBeGreaterThan(0);
  const log = await openLog({ directory });
  expect(wal()).toBe(0);
  expect((await log.head()).commit).toBeGreaterThan(0n);
});

describe('a log above 64 MiB', () => {
  let original: string;
  // 66 events, each in a stream of its own and 1 MiB large.
  beforeAll(async () => {
    original = mkdtempSync(join(tmpdir(), 'planlog-large-'));
    const log = await openSqliteEventLog({ directory: original, maxQueuedBytes: 100 * MIB });
    const appends = Array.from({ length: 66 }, (_, at) =>
      log.append(`s${at}`, 'no_stream', [sampleOfBytes(MIB)]),
    );
    await Promise.all(appends);
    await log.close();
    expect(statSync(logPath(original)).size).toBeGreaterThan(64 * MIB);
  }, 60_000);
  afterAll(() => {
    rmSync(original, { recursive: true });
  });

  /** A copy of the large log, closed. */
  async function largeLog(): Promise<string> {
    const directory = await freshDirectory();
    copyFileSync(logPath(original), logPath(directory));
    return directory;
  }

  /** Overwrites two MiB of the file. */
  function damage(directory: string, at: (size: number) => number): void {
    const path = logPath(directory);
    const { size } = statSync(path);
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(2 * MIB, 0xa5), 0, 2 * MIB, at(size));
    closeSync(file);
  }

  it.each<[string, (size: number) => number]>([
    ['beginning', () => 64 * 1024],
    ['end', (size) => size - 2 * MIB],
  ])('is refused when its %s is damaged', async (_, at) => {
    const directory = await largeLog();
    damage(directory, at);
    const before = readFileSync(logPath(directory));
    expect(await failure(openLog({ directory }))).toMatchObject({ code: 'log_file_damaged' });
    expect(readFileSync(logPath(directory)).equals(before)).toBe(true);
  });

  it('is not read whole at the start: damage between shows when it is read', async () => {
    const directory = await largeLog();
    damage(directory, (size) => size / 2);
    const log = await openLog({ directory });
    expect(await all(log.read('s1', { direction: 'forwards', limit: 1 }))).toHaveLength(1);
    expect((await log.append('new', 'no_stream', samples(1))).revision).toBe(0n);
    const puller = log.pull({ prefix: '', after: LOG_START });
    const failed = { code: 'unavailable', reason: 'failed' };
    expect(await failure(untilCaughtUp(puller))).toMatchObject(failed);
    expect(await failure(log.append('new', 0n, samples(1)))).toMatchObject(failed);
  });
});
