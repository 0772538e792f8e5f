/** A pull at the head reads nothing until it is told that the log has grown. */
import type { LogPage } from '../../../../src/events/log/sqlite/log-pages.js';
import { GrowthWaiters, LogPuller } from '../../../../src/events/log/sqlite/log-puller.js';
import { LOG_START } from '../../../../src/events/log/position.js';

it('reads one page for each time the log grows, and none in between', async () => {
  const waiters = new GrowthWaiters();
  let head = 0n;
  let pages = 0;
  const source = {
    page: (): LogPage => {
      pages += 1;
      return { events: [], checkpoint: head, end: true };
    },
    storedAfter: (after: bigint, signal: AbortSignal): Promise<void> =>
      head > after ? Promise.resolve() : waiters.wait(after, signal),
  };
  const puller = new LogPuller(source, { prefix: '', after: LOG_START }, () => undefined);
  await puller.next();
  expect(pages).toBe(1);
  for (const grown of [1n, 2n, 5n]) {
    const next = puller.next();
    let settled = false;
    void next.finally(() => (settled = true));
    // Many turns of the event loop, and a growth that it has seen already.
    waiters.grownTo(head);
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    expect(settled).toBe(false);
    const before = pages;
    head = grown;
    waiters.grownTo(head);
    expect((await next)?.checkpoint.commit).toBe(grown);
    expect(pages).toBe(before + 1);
  }
  await puller.close();
});
