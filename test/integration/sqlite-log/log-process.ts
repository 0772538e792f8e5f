/**
 * A process of its own that opens the log of a directory: `hold` appends without end and never
 * closes; `use` appends, pulls, closes, and is then expected to end by itself.
 */
import { openSqliteEventLog } from '../../../src/events/log/sqlite/open-sqlite-event-log.js';
import { LOG_START } from '../../../src/events/log/position.js';
import { messageOf } from '../../../src/events/log/sqlite/sqlite-errors.js';

const [, , directory = '', what] = process.argv;
const event = () => ({ id: crypto.randomUUID(), type: 'sample', data: {}, metadata: {} });

try {
  const log = await openSqliteEventLog({ directory });
  const first = await log.append(`s-${process.pid}`, 'no_stream', [event()]);
  if (what === 'use') {
    const puller = log.pull({ prefix: 's', after: LOG_START });
    await puller.next();
    void puller.next();
    await log.close();
    console.log('used');
  } else {
    console.log('held');
    for (let { revision } = first; ; revision += 1n) {
      await log.append(`s-${process.pid}`, revision, [event()]);
    }
  }
} catch (error) {
  console.log(messageOf(error));
}
