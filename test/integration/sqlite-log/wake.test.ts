/** A pull that waits is woken by the append itself: no timer is needed for it. */
import { jest } from '@jest/globals';
import { LOG_START } from '../../../src/events/log/position.js';
import { ids, samples, untilCaughtUp } from '../../contract/event-log/sample-events.js';
import { cleanUpAfterwards, freshDirectory, openLog } from './log-directory.js';

cleanUpAfterwards();
afterEach(() => {
  jest.useRealTimers();
});

it('wakes each pull once for each commit, while no timer fires', async () => {
  const log = await openLog({ directory: await freshDirectory() });
  const pullers = ['s', '', 'other'].map((prefix) => log.pull({ prefix, after: LOG_START }));
  for (const puller of pullers) await untilCaughtUp(puller);
  // From here on time stands still: whoever looks again after a while never does.
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  for (let round = 0n; round < 20n; round += 1n) {
    const waiting = pullers.map((puller) => puller.next());
    const events = samples(1);
    const expected = round === 0n ? 'no_stream' : round - 1n;
    const { position } = await log.append('s', expected, events);
    const batches = await Promise.all(waiting);
    expect(batches.map((batch) => ids(batch?.events ?? []))).toEqual([
      ids(events),
      ids(events),
      [],
    ]);
    for (const batch of batches) {
      expect(batch).toMatchObject({ checkpoint: position, caughtUp: true });
    }
  }
});
