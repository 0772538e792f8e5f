/** A long truncation is done in short steps, so that appends need not wait for it. */
import { statSync } from 'node:fs';
import { logPath } from '../../../src/events/log/sqlite/log-file.js';
import { largest, type WriterDb } from '../../../src/events/log/sqlite/log-writer.js';
import { openForWriting } from '../../../src/events/log/sqlite/run-writer.js';
import { SpaceReclaimer } from '../../../src/events/log/sqlite/space-reclaimer.js';
import type { TruncateReply } from '../../../src/events/log/sqlite/writer-messages.js';
import { sampleOfBytes, samples } from '../../contract/event-log/sample-events.js';
import { cleanUpAfterwards, freshDirectory, openLog } from './log-directory.js';

cleanUpAfterwards();

/** A closed log with one stream of so many events. */
async function logOf(events: number, bytes: number): Promise<string> {
  const directory = await freshDirectory();
  const log = await openLog({ directory });
  for (let at = 0; at < events; at += 500) {
    const part = Array.from({ length: Math.min(500, events - at) }, () => sampleOfBytes(bytes));
    await log.append('s', at === 0 ? 'no_stream' : BigInt(at - 1), part);
  }
  await log.close();
  return directory;
}

const countOf = (db: WriterDb) => largest(db, 'SELECT count(*) FROM events');
const pagesOf = (db: WriterDb) => largest(db, 'PRAGMA page_count');

it('no step removes many events or gives many pages back; the last ones give all', async () => {
  const directory = await logOf(1_500, 1_900);
  const db = openForWriting(logPath(directory));
  const before = statSync(logPath(directory)).size;
  const replies: TruncateReply[] = [];
  const space = new SpaceReclaimer(db, (reply) => replies.push(reply));
  space.truncate({ kind: 'truncate', ticket: 7, stream: 's', before: 1_499n });

  let steps = 0;
  let [events, pages] = [countOf(db), pagesOf(db)];
  for (; space.hasWork; steps += 1) {
    space.step();
    const [eventsLeft, pagesLeft] = [countOf(db), pagesOf(db)];
    expect(events - eventsLeft).toBeLessThanOrEqual(100n);
    expect(pages - pagesLeft).toBeLessThanOrEqual(256n);
    [events, pages] = [eventsLeft, pagesLeft];
  }
  expect(replies).toEqual([{ kind: 'truncated', ticket: 7, before: 1_499n }]);
  expect(events).toBe(1n);
  expect(steps).toBeGreaterThan(15);
  // The file itself is shorter; little is kept for the next appends.
  expect(largest(db, 'PRAGMA freelist_count')).toBeLessThanOrEqual(64n);
  const left = statSync(logPath(directory)).size;
  expect(left).toBeLessThan(before / 5);
  expect(left).toBe(Number(pages) * 4_096);
  db.close();
});

it('appends one after the other are all done before it', async () => {
  const directory = await logOf(20_000, 100);
  const log = await openLog({ directory });
  const done: string[] = [];
  const truncating = log.truncate('s', 19_999n).then(() => done.push('truncated'));
  for (let at = 0; at < 5; at += 1) {
    await log.append('t', at === 0 ? 'no_stream' : BigInt(at - 1), samples(1));
    done.push('appended');
  }
  await truncating;
  expect(done).toEqual([...Array.from({ length: 5 }, () => 'appended'), 'truncated']);
});
