/** The file of the embedded log: what it keeps, and what is refused and left as it is. */
import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { LOG_START } from '../../../src/events/log/position.js';
import { APPLICATION_ID, logPath } from '../../../src/events/log/sqlite/log-file.js';
import { largest } from '../../../src/events/log/sqlite/log-writer.js';
import { openForWriting } from '../../../src/events/log/sqlite/run-writer.js';
import { openSqliteLogReader } from '../../../src/events/log/sqlite/sqlite-log-reader.js';
import {
  all,
  eventsOf,
  failure,
  ids,
  samples,
  untilCaughtUp,
} from '../../contract/event-log/sample-events.js';
import { cleanUpAfterwards, freshDirectory, openLog } from './log-directory.js';

cleanUpAfterwards();

const FORWARDS = { direction: 'forwards', limit: 1_000 } as const;

/** A directory with a closed log of 200 events. */
async function closedLog(): Promise<string> {
  const directory = await freshDirectory();
  const log = await openLog({ directory });
  await log.append('s', 'no_stream', samples(200));
  await log.close();
  return directory;
}

function change(directory: string, sql: string): void {
  const db = new DatabaseSync(logPath(directory));
  db.exec(sql);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
}

describe('the file of the log', () => {
  it('keeps events, positions, revisions and the log id over a restart', async () => {
    const directory = join(await freshDirectory(), 'made', 'on the way');
    const first = await openLog({ directory });
    const events = samples(5);
    await first.append('s', 'no_stream', events);
    await first.append('t', 'no_stream', samples(1));
    const [id, head] = [await first.logId(), await first.head()];
    await first.truncate('t', 9n);
    await first.close();

    const second = await openLog({ directory });
    expect(await second.logId()).toBe(id);
    expect(await second.head()).toEqual(head);
    expect(ids(await all(second.read('s', FORWARDS)))).toEqual(ids(events));
    const again = await second.append('s', 'no_stream', events);
    expect(again.revision).toBe(4n);
    const next = await second.append('s', 4n, samples(1));
    expect(next.position.commit).toBe(head.commit + 1n);
  });

  it('goes on above 2^53, in positions and revisions (faults.md C 59)', async () => {
    const directory = await closedLog();
    const high = 2n ** 53n + 1n;
    change(
      directory,
      `UPDATE events SET position = ${high.toString()}, revision = ${high.toString()} ` +
        'WHERE revision = 199',
    );
    const log = await openLog({ directory });
    expect((await log.head()).commit).toBe(high);
    const result = await log.append('s', high, samples(2));
    expect(result).toMatchObject({ revision: high + 2n, position: { commit: high + 2n } });
    const puller = log.pull({ prefix: 's', after: { commit: high, prepare: high } });
    expect(eventsOf(await untilCaughtUp(puller)).map((event) => event.revision)).toEqual([
      high + 1n,
      high + 2n,
    ]);
  });

  it('is synced in full, keeps a -wal and can shrink', async () => {
    const directory = await closedLog();
    const db = openForWriting(logPath(directory));
    const pragma = (name: string): bigint => largest(db, `PRAGMA ${name}`);
    expect(pragma('synchronous')).toBe(2n);
    expect(db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    expect(pragma('auto_vacuum')).toBe(2n);
    expect(pragma('application_id')).toBe(BigInt(APPLICATION_ID));
    expect(pragma('user_version')).toBe(1n);
    db.close();
  });

  it('holds everything by itself once the log is closed', async () => {
    const directory = await closedLog();
    const copy = await freshDirectory();
    writeFileSync(logPath(copy), readFileSync(logPath(directory)));
    expect(await all((await openLog({ directory: copy })).read('s', FORWARDS))).toHaveLength(200);
  });

  it('shows stored text that is no JSON as undefined', async () => {
    const directory = await closedLog();
    change(directory, "UPDATE events SET data = '{oops' WHERE revision = 3");
    const events = await all((await openLog({ directory })).read('s', FORWARDS));
    expect(events[3]?.data).toBeUndefined();
    expect(events[3]?.metadata).toEqual({ schemaVersion: 1 });
    expect(events[4]?.data).toEqual({ index: 4 });
  });

  it('is created whole, also after a creation that was cut short', async () => {
    const directory = await freshDirectory();
    await writeFile(`${logPath(directory)}.new`, 'half a');
    const log = await openLog({ directory });
    expect(await log.head()).toEqual(LOG_START);
  });
});

describe('a file that is refused', () => {
  it.each([
    [
      'log_file_damaged',
      'empty',
      (path: string) => {
        truncateSync(path, 0);
      },
    ],
    [
      'log_file_damaged',
      'text',
      (path: string) => {
        writeFileSync(path, 'hello '.repeat(2_000));
      },
    ],
    [
      'log_file_damaged',
      'cut off',
      (path: string) => {
        truncateSync(path, 8_192);
      },
    ],
    [
      'log_file_damaged',
      'torn in the middle',
      (path: string) => {
        const bytes = readFileSync(path);
        bytes.fill(0xa5, 5 * 4_096, 7 * 4_096);
        writeFileSync(path, bytes);
      },
    ],
  ])('%s: %s', async (code, _, damage) => {
    const directory = await closedLog();
    const path = logPath(directory);
    damage(path);
    await expectRefused(directory, code);
  });

  it.each([
    ['log_file_newer', 'PRAGMA user_version = 2'],
    ['log_file_foreign', 'PRAGMA application_id = 77'],
    ['log_file_damaged', 'DROP TABLE log'],
    ['log_file_damaged', 'DELETE FROM log'],
    ['log_file_damaged', 'ALTER TABLE events ADD COLUMN more TEXT'],
  ])('%s: %s', async (code, sql) => {
    const directory = await closedLog();
    change(directory, sql);
    await expectRefused(directory, code);
  });

  it('is a missing one whose -wal is still there', async () => {
    const directory = await closedLog();
    rmSync(logPath(directory));
    await writeFile(`${logPath(directory)}-wal`, 'x');
    expect(await failure(openLog({ directory }))).toMatchObject({ code: 'log_file_damaged' });
    expect(statSync(logPath(directory), { throwIfNoEntry: false })).toBeUndefined();
  });

  it('is a directory that is none', async () => {
    const file = join(await freshDirectory(), 'file');
    await writeFile(file, '');
    expect(await failure(openLog({ directory: file }))).toMatchObject({
      code: 'log_file_unusable',
    });
    const directory = await freshDirectory();
    await mkdir(logPath(directory));
    expect(await failure(openLog({ directory }))).toMatchObject({ code: 'log_file_unusable' });
  });

  async function expectRefused(directory: string, code: string): Promise<void> {
    const before = readFileSync(logPath(directory));
    // Twice: the first refusal must have let go of everything.
    for (const open of [openLog, openLog]) {
      const error = await failure(open({ directory }));
      expect(error).toMatchObject({ name: 'LogFileError', code, path: logPath(directory) });
    }
    const read = Promise.resolve().then(() => openSqliteLogReader({ directory }));
    expect(await failure(read)).toMatchObject({ code });
    expect(readFileSync(logPath(directory)).equals(before)).toBe(true);
  }
});
