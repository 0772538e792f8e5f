/** A process that projects endless events from a log it makes up, until it is killed. */
import { writeSync } from 'node:fs';
import { z } from 'zod';
import type { StoredEvent } from '../../../src/events/log/event-log.js';
import { positionOf } from '../../../src/events/log/position.js';
import { sqliteReadModels } from '../../../src/projections/read-model/sqlite/sqlite-read-models.js';
import { defineProjection } from '../../../src/projections/runtime/define-projection.js';
import { LiveProjection } from '../../../src/projections/runtime/live-projection.js';
import { MemoryEventLog } from '../../../src/testing/memory-event-log.js';

export const KEYS = 7;

/** Counts events: applying one twice or not at all shows. */
export const counter = defineProjection<number>({
  name: 'counter',
  version: 1,
  prefix: 'made-',
  row: z.number(),
  initial: 0,
  key: ({ stream }) => stream,
  evolve: (row) => row + 1,
});

/** The event at a position, always the same one. */
function made(position: bigint): StoredEvent {
  return {
    stream: `made-${(position % BigInt(KEYS)).toString()}`,
    revision: position / BigInt(KEYS),
    position: positionOf(position),
    id: `event-${position.toString()}`,
    type: 'counted',
    data: {},
    metadata: {},
    created: new Date(0),
    bytes: 10,
  };
}

class EndlessLog extends MemoryEventLog {
  override logId = () => Promise.resolve('endless');
  override head = () => Promise.resolve(positionOf(2n ** 60n));
  override pull: MemoryEventLog['pull'] = ({ after }) => {
    let last = after.commit;
    return {
      next: async () => {
        await new Promise(setImmediate);
        const events = Array.from({ length: 5 }, (_, index) => made(last + 1n + BigInt(index)));
        last += 5n;
        // Always at its head, so that what is projected is served, and always with more to come.
        return { events, checkpoint: positionOf(last), caughtUp: true };
      },
      close: () => Promise.resolve(),
    };
  };
}

const [, , directory] = process.argv;
if (process.env['PROJECT_AND_DIE'] === 'yes' && directory !== undefined) {
  const live = new LiveProjection(new EndlessLog(), counter);
  let told = false;
  live.subscribeAll(() => {
    if (!told) writeSync(1, 'projecting\n');
    told = true;
  });
  await live.start(sqliteReadModels(directory));
  setInterval(() => undefined, 1_000);
}
