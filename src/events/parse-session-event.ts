/** Reads stored events back as the domain's own: upcast, then parsed by shape. */
import { z } from 'zod';
import type { StoredEvent } from './log/event-log.js';
import { eventMetadata, type EventMetadata } from './metadata.js';
import {
  isSessionEventType,
  sessionEventData,
  type SessionEvent,
  type SessionEventType,
} from './session-events.js';
import { sessionUpcasters, upcast, type Upcasters } from './upcasters.js';

/** What a stored event turned out to be. */
export type ParsedSessionEvent =
  /** One of ours, readable. */
  | { readonly kind: 'event'; readonly event: SessionEvent }
  /** Another type in our stream: skipped, advanced past, counted. */
  | { readonly kind: 'foreign' }
  /** One of our types whose data is not of its shape. */
  | { readonly kind: 'unreadable'; readonly type: SessionEventType; readonly reason: string };

const FOREIGN: ParsedSessionEvent = { kind: 'foreign' };

/** @param upcasters the map to raise old versions with; the session's own by default */
export function parseSessionEvent(
  stored: StoredEvent,
  upcasters: Upcasters = sessionUpcasters,
): ParsedSessionEvent {
  const { type } = stored;
  if (!isSessionEventType(type)) return FOREIGN;
  const data = Object.hasOwn(upcasters, type)
    ? upcast(upcasters, type, versionOf(stored), stored.data)
    : stored.data;
  const parsed = sessionEventData[type].safeParse(data);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const reason = issue ? `${issue.path.join('.') || 'data'}: ${issue.message}` : 'unreadable';
    return { kind: 'unreadable', type, reason };
  }
  // The type and the schema that parsed its data come from one map entry.
  return { kind: 'event', event: { type, data: parsed.data } as SessionEvent };
}

/** The event's metadata, undefined where it is not of our shape. */
export function parseMetadata(stored: StoredEvent): EventMetadata | undefined {
  return eventMetadata.safeParse(stored.metadata).data;
}

/** Read on its own: data is of its version also where the rest of the metadata is not ours. */
const versioned = z.object({ schemaVersion: z.int().nonnegative() });

function versionOf({ metadata }: StoredEvent): number {
  return versioned.safeParse(metadata).data?.schemaVersion ?? 1;
}
