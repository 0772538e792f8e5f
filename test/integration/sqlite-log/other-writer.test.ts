/** Two writers that got round the lock, by deleting its file: nothing that was acknowledged is
 * lost, and the one that comes late fails instead of writing on what it no longer knows. */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { LOG_START } from '../../../src/events/log/position.js';
import { logPath } from '../../../src/events/log/sqlite/log-file.js';
import { LogWriter } from '../../../src/events/log/sqlite/log-writer.js';
import { openForWriting } from '../../../src/events/log/sqlite/run-writer.js';
import {
  all,
  eventsOf,
  failure,
  ids,
  samples,
  untilCaughtUp,
} from '../../contract/event-log/sample-events.js';
import { cleanUpAfterwards, freshDirectory, openLog, startLogProcess } from './log-directory.js';

cleanUpAfterwards();

it('the first fails at its next append; what both had acknowledged is there', async () => {
  const directory = await freshDirectory();
  const log = await openLog({ directory });
  const mine = samples(3);
  await log.append('mine', 'no_stream', mine);
  rmSync(join(directory, 'log.lock'));
  const { child, line } = await startLogProcess(directory, 'hold');
  expect(line).toBe('held');
  const error = await failure(log.append('mine', 2n, samples(1)));
  expect(error).toMatchObject({ code: 'unavailable', reason: 'failed' });
  expect(String(error)).toMatch(/another process has written it.* start that again/);
  expect(await failure(log.head())).toMatchObject({ reason: 'failed' });
  await log.close();
  child.kill('SIGKILL');
  await once(child, 'exit');

  const again = await openLog({ directory });
  const read = again.read('mine', { direction: 'forwards', limit: 9 });
  expect(ids(await all(read))).toEqual(ids(mine));
  const events = eventsOf(await untilCaughtUp(again.pull({ prefix: '', after: LOG_START })));
  expect(events.length).toBeGreaterThan(mine.length);
  expect(events.map(({ position }) => position.commit)).toEqual(
    events.map((_, at) => BigInt(at) + 1n),
  );
});

it('never fills a hole below the head, where no projection would see it', async () => {
  const directory = await freshDirectory();
  const log = await openLog({ directory });
  await log.append('a', 'no_stream', samples(1));
  await log.close();
  const db = openForWriting(logPath(directory));
  const writer = new LogWriter(db);
  // The other one appends twice and truncates the first: position 2 is free again.
  const other = openForWriting(logPath(directory));
  other.exec("INSERT INTO streams (id, name) VALUES (2, 'b')");
  other.exec("INSERT INTO events VALUES (3, 2, 1, 0, 'x', 'sample', '{}', '{}')");
  const events = samples(1).flatMap(({ id, type }) => [id, type, '{}', '{}']);
  const batch = { kind: 'append', streams: ['a'], expected: [0n], counts: [1], events } as const;
  expect(writer.append(batch)).toMatchObject({ kind: 'refused', fatal: true });
  expect(other.prepare('SELECT count(*) AS n FROM events WHERE position = 2').get()).toEqual({
    n: 0,
  });
  db.close();
  other.close();
});
