/** Brings about what no request can: a session whose second event cannot be read. */
import type { EventLog } from '../../../src/events/log/event-log.js';
import { EVENT_LOG } from '../../../src/events/log/event-log.token.js';
import { formatPosition, type Position } from '../../../src/events/log/position.js';
import { ProjectionHost } from '../../../src/projections/runtime/projection-host.js';
import { tell } from '../../faults/projections/faulty-log.js';
import { start, type Told } from '../../unit/projections/session-scenario.js';
import type { RunningServer } from './running-server.js';

const unreadable: Told = { type: 'turn/start', data: {} };

/** Appends to the log itself, past all commands. */
export function appendTo(
  { planlog }: RunningServer,
  key: string,
  ...told: readonly Told[]
): Promise<Position> {
  return tell(planlog.app.get<EventLog>(EVENT_LOG), `agentSession-${key}`, ...told);
}

/**
 * Resolves when every projection has seen it.
 *
 * @param key `<tenant>.<session>`, of a session that does not exist
 */
export async function parkSession(server: RunningServer, key: string): Promise<void> {
  const position = await appendTo(server, key, start, unreadable);
  const end = Date.now() + 10_000;
  for (;;) {
    const statuses = await server.planlog.app.get(ProjectionHost).statuses();
    if (statuses.every(({ state, distance }) => state === 'live' && distance === '0')) return;
    if (Date.now() > end) {
      throw new Error(`not projected to ${formatPosition(position)} in time`);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
