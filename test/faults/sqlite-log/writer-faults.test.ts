/** The embedded log when its disk or its writer fails: each append learns what is true. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { LOG_START } from '../../../src/events/log/position.js';
import type { SqliteEventLogOptions } from '../../../src/events/log/sqlite/log-options.js';
import type { SqliteEventLog } from '../../../src/events/log/sqlite/sqlite-event-log.js';
import { logPath } from '../../../src/events/log/sqlite/log-file.js';
import {
  all,
  eventually,
  failure,
  ids,
  samples,
  untilCaughtUp,
} from '../../contract/event-log/sample-events.js';
import {
  cleanUpAfterwards,
  freshDirectory,
  openLog,
} from '../../integration/sqlite-log/log-directory.js';

cleanUpAfterwards();

const FORWARDS = { direction: 'forwards', limit: 2_000 } as const;
const FAILED = { code: 'unavailable', reason: 'failed' };

/** A log whose writer fails as told. */
async function openFaulty(
  fault: string,
  options: Omit<SqliteEventLogOptions, 'directory'> = {},
): Promise<{ log: SqliteEventLog; directory: string }> {
  const directory = await freshDirectory();
  writeFileSync(`${logPath(directory)}.fault`, fault);
  if (fault === 'fault=hang') writeFileSync(`${logPath(directory)}.hang`, '');
  const writerEntry = new URL('./faulty-writer.js', import.meta.url);
  return { log: await openLog({ directory, writerEntry, ...options }), directory };
}

describe('the embedded log', () => {
  it.each(['sync', 'die'])('%s: outcome unknown, then it refuses everything', async (fault) => {
    const { log, directory } = await openFaulty(`fault=${fault}&after=1`, { maxBatchAppends: 2 });
    const first = samples(1);
    await log.append('s', 'no_stream', first);
    const puller = log.pull({ prefix: '', after: LOG_START });
    await untilCaughtUp(puller);
    const waiting = failure(puller.next());
    const outcomes = await Promise.all(
      ['a', 'b', 'c'].map((name) => failure(log.append(name, 'no_stream', samples(1)))),
    );
    // Two were with the writer; the third had not been sent.
    expect(outcomes[0]).toMatchObject({ code: 'outcome_unknown' });
    expect(outcomes[1]).toMatchObject({ code: 'outcome_unknown' });
    expect(outcomes[2]).toMatchObject(FAILED);
    expect(await waiting).toMatchObject(FAILED);
    expect(await failure(log.append('s', 0n, samples(1)))).toMatchObject(FAILED);
    expect(await failure(all(log.read('s', FORWARDS)))).toMatchObject(FAILED);
    expect(await failure(log.head())).toMatchObject(FAILED);
    expect(await failure(log.truncate('s', 1n))).toMatchObject(FAILED);
    await log.close();
    const again = await openLog({ directory });
    expect(ids(await all(again.read('s', FORWARDS)))).toEqual(ids(first));
    expect((await again.append('s', 0n, samples(1))).revision).toBe(1n);
  });

  it('stores nothing when the disk is full, and goes on when it is not', async () => {
    const { log } = await openFaulty('fault=full&after=1');
    await log.append('s', 'no_stream', samples(1));
    const events = samples(2);
    const full = await Promise.all([
      failure(log.append('s', 0n, events)),
      failure(log.append('new', 'no_stream', samples(1))),
    ]);
    for (const error of full)
      expect(error).toMatchObject({ code: 'unavailable', reason: 'unreachable' });
    expect(await all(log.read('new', FORWARDS))).toEqual([]);
    const result = await log.append('s', 0n, events);
    expect(result).toMatchObject({ revision: 2n, position: { commit: 3n } });
    expect((await log.append('new', 'no_stream', samples(1))).position.commit).toBe(4n);
  });

  it('fails when its file turns out to be damaged; nothing was stored', async () => {
    const { log } = await openFaulty('fault=corrupt');
    expect(await failure(log.append('s', 'no_stream', samples(1)))).toMatchObject(FAILED);
    expect(await failure(log.head())).toMatchObject(FAILED);
  });

  it('answers in time when the writer hangs; the resend finds the write (faults.md A2)', async () => {
    const { log, directory } = await openFaulty('fault=hang', {
      appendTimeoutMs: 300,
      maxBatchAppends: 1,
    });
    const events = samples(2);
    const sent = failure(log.append('s', 'no_stream', events));
    const queued = failure(log.append('never', 'no_stream', samples(1)));
    expect(await sent).toMatchObject({ code: 'outcome_unknown' });
    expect(await queued).toMatchObject({ code: 'unavailable', reason: 'overloaded' });
    rmSync(`${logPath(directory)}.hang`);
    expect((await log.append('s', 'no_stream', events)).revision).toBe(1n);
    expect(ids(await all(log.read('s', FORWARDS)))).toEqual(ids(events));
    expect(await all(log.read('never', FORWARDS))).toEqual([]);
    const puller = log.pull({ prefix: '', after: LOG_START });
    expect((await puller.next())?.events).toHaveLength(2);
  });

  it('closes in bounded time when the writer hangs', async () => {
    const { log, directory } = await openFaulty('fault=hang', { appendTimeoutMs: 200 });
    const append = failure(log.append('s', 'no_stream', samples(1)));
    await log.close();
    expect(await append).toMatchObject({ code: 'outcome_unknown' });
    // Asked to end, the thread did, and the lock went with it.
    expect(await (await openLog({ directory })).head()).toEqual(LOG_START);
  });

  it.each([{ maxQueuedAppends: 3 }, { maxQueuedBytes: 200 }])(
    'refuses at once what it cannot queue: %j',
    async (limit) => {
      const log = await openLog({ directory: await freshDirectory(), ...limit });
      const appends = Array.from({ length: 40 }, (_, index) =>
        log.append(`s${index}`, 'no_stream', samples(1)),
      );
      const outcomes = await Promise.allSettled(appends);
      const stored = outcomes.filter((outcome) => outcome.status === 'fulfilled').length;
      expect(stored).toBeGreaterThan(0);
      expect(stored).toBeLessThan(10);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') {
          expect(outcome.reason).toMatchObject({ code: 'unavailable', reason: 'overloaded' });
        }
      }
      await eventually(() => log.append('later', 'no_stream', samples(1)).then(() => true));
    },
  );

  it('commits together what arrives together', async () => {
    const { log, directory } = await openFaulty('fault=none');
    await Promise.all(
      Array.from({ length: 1_000 }, (_, index) =>
        log.append(`s${index % 500}`, index < 500 ? 'no_stream' : 0n, samples(1)),
      ),
    );
    const commits = readFileSync(`${logPath(directory)}.commits`, 'utf8').length;
    expect(commits).toBeLessThan(10);
  });
});
