/** The smallest domain there is: a stream that counts. For tests of the runtime alone. */
import { randomUUID } from 'node:crypto';
import type { Transaction } from '../../../src/commands/runtime/command-runtime.js';
import type { StreamFold } from '../../../src/commands/runtime/decider.js';
import { loadToBoundary } from '../../../src/commands/runtime/load-stream.js';
import type { StateCache } from '../../../src/commands/runtime/state-cache.js';
import type { EventLog, NewEvent } from '../../../src/events/log/event-log.js';

export const counterFold: StreamFold<number, 'counted'> = {
  initial: 0,
  incomplete: Number.NaN,
  isBoundary: () => false,
  parse: () => 'counted',
  replacesEarlier: () => false,
  commandIdOf: () => undefined,
  evolve: (count) => count + 1,
  fingerprint: () => '',
};

export function counted(): NewEvent {
  return { id: randomUUID(), type: 'counted', data: {}, metadata: {} };
}

/** Counts one on. */
export function countOn(
  log: EventLog,
  stream: string,
  commandId: string,
  cache?: StateCache<number, 'counted'>,
): Transaction<number, 'counted', never> {
  return {
    stream,
    commandId,
    load: (name) => loadToBoundary(log, counterFold, name),
    ...(cache && { cache }),
    decide: () => ({ kind: 'append', events: ['counted'] }),
    toNewEvents: (events) => events.map(counted),
  };
}
