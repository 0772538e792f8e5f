/** One process writes a log, and a dead one does not keep others out. */
import { once } from 'node:events';
import { LOG_START } from '../../../src/events/log/position.js';
import {
  eventsOf,
  failure,
  samples,
  untilCaughtUp,
} from '../../contract/event-log/sample-events.js';
import { cleanUpAfterwards, freshDirectory, openLog, startLogProcess } from './log-directory.js';

cleanUpAfterwards();

describe('the lock of the log', () => {
  it('refuses a second log in the same process, then lets it in', async () => {
    const directory = await freshDirectory();
    const first = await openLog({ directory });
    const error = await failure(openLog({ directory }));
    expect(error).toMatchObject({ name: 'LogFileError', code: 'log_in_use' });
    expect(String(error)).toContain(directory);
    // The refused one has not loosened the lock of the first.
    expect((await startLogProcess(directory, 'hold')).line).toContain('is open in another process');
    await first.append('s', 'no_stream', samples(1));
    await first.close();
    const second = await openLog({ directory });
    expect((await second.append('s', 0n, samples(1))).revision).toBe(1n);
  });

  it('refuses while another process writes, and is free once that is killed', async () => {
    const directory = await freshDirectory();
    const { child, line } = await startLogProcess(directory, 'hold');
    expect(line).toBe('held');
    expect(await failure(openLog({ directory }))).toMatchObject({ code: 'log_in_use' });
    child.kill('SIGKILL');
    await once(child, 'exit');

    const log = await openLog({ directory });
    const puller = log.pull({ prefix: '', after: LOG_START });
    const events = eventsOf(await untilCaughtUp(puller));
    // Killed in mid-append: what is there is whole and without a gap.
    expect(events.length).toBeGreaterThan(0);
    expect(events.map((event) => event.revision)).toEqual(events.map((_, at) => BigInt(at)));
    expect(events.map((event) => event.position.commit)).toEqual(
      events.map((_, at) => BigInt(at) + 1n),
    );
  });

  it('lets the process end by itself after close (faults.md C 43)', async () => {
    const directory = await freshDirectory();
    const { child, line } = await startLogProcess(directory, 'use');
    expect(line).toBe('used');
    if (child.exitCode === null) await once(child, 'exit');
    expect(child.exitCode).toBe(0);
  });
});
