/** A stored event of any content. */
import type { StoredEvent } from '../../../src/events/log/event-log.js';
import { positionOf } from '../../../src/events/log/position.js';

export function storedEvent(
  type: string,
  data: unknown,
  metadata: unknown = {},
  revision = 0n,
): StoredEvent {
  return {
    stream: 'agentSession-default.s1',
    revision,
    position: positionOf(revision + 1n),
    id: '00000000-0000-4000-8000-000000000000',
    type,
    data,
    metadata,
    created: new Date(0),
    bytes: 100,
  };
}
