/** Truncation gives space back, appends share a sync, and a job reads beside the owner. */
import { existsSync, statSync } from 'node:fs';
import { LOG_START } from '../../../src/events/log/position.js';
import { logPath } from '../../../src/events/log/sqlite/log-file.js';
import { openSqliteLogReader } from '../../../src/events/log/sqlite/sqlite-log-reader.js';
import {
  all,
  eventsOf,
  eventually,
  failure,
  ids,
  sample,
  sampleOfBytes,
  samples,
  untilCaughtUp,
} from '../../contract/event-log/sample-events.js';
import { cleanUpAfterwards, freshDirectory, openLog } from './log-directory.js';

cleanUpAfterwards();

describe('the space of truncated events', () => {
  it('goes back to the file system, while appends go on', async () => {
    const directory = await freshDirectory();
    const log = await openLog({ directory });
    for (let part = 0; part < 10; part += 1) {
      const events = Array.from({ length: 10 }, () => sampleOfBytes(100_000));
      await log.append('s', part === 0 ? 'no_stream' : BigInt(part * 10 - 1), events);
    }
    const size = (): number => statSync(logPath(directory)).size;
    const wal = (): number => statSync(`${logPath(directory)}-wal`).size;
    const full = size() + wal();
    expect(full).toBeGreaterThan(9_000_000);
    const truncating = log.truncate('s', 99n);
    const alongside = await log.append('t', 'no_stream', samples(1));
    expect(alongside.revision).toBe(0n);
    await truncating;
    await eventually(() => size() + wal() < 1_500_000);
    expect(await all(log.read('s', { direction: 'forwards', limit: 9 }))).toHaveLength(1);
  });
});

describe('a reader beside the owner', () => {
  it('reads what is there, follows what comes, and ends', async () => {
    const directory = await freshDirectory();
    const log = await openLog({ directory });
    const events = samples(700);
    await log.append('s', 'no_stream', events);
    const reader = openSqliteLogReader({ directory });
    expect(await reader.logId()).toBe(await log.logId());
    expect(await reader.head()).toEqual(await log.head());
    expect(await all(reader.read('s', { direction: 'backwards', limit: 5 }))).toHaveLength(5);
    const puller = reader.pull({ prefix: 's', after: LOG_START });
    expect(ids(eventsOf(await untilCaughtUp(puller)))).toEqual(ids(events));
    const next = puller.next();
    const event = sample();
    await log.append('s', 699n, [event]);
    expect(ids((await next)?.events ?? [])).toEqual([event.id]);
    const waiting = puller.next();
    await reader.close();
    expect(await waiting).toBeUndefined();
    await expect(reader.head()).rejects.toMatchObject({ reason: 'closed' });
  });

  it('reads without an owner, and leaves the log free for one', async () => {
    const directory = await freshDirectory();
    await (await openLog({ directory })).close();
    const reader = openSqliteLogReader({ directory });
    expect(await reader.head()).toEqual(LOG_START);
    const log = await openLog({ directory });
    const { position } = await log.append('s', 'no_stream', samples(1));
    expect(await reader.head()).toEqual(position);
    await reader.close();
  });

  it('makes no log where there is none', async () => {
    const directory = await freshDirectory();
    const read = Promise.resolve().then(() => openSqliteLogReader({ directory }));
    expect(await failure(read)).toMatchObject({ code: 'log_file_unusable' });
    expect(existsSync(logPath(directory))).toBe(false);
  });
});
