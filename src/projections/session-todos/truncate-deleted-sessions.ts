/**
 * Removes what a deleted session held. The command only appends `session/delete`; this durable
 * reaction does the rest, so a crash in between heals itself.
 */
import type { EventLog } from '../../events/log/event-log.js';
import { SESSION_DELETE } from '../../events/session-events.js';
import { parseSessionStream, SESSION_STREAM_PREFIX } from '../../events/session-stream.js';
import { defineReaction, type Reaction } from '../runtime/define-reaction.js';

/** @param log where the streams lie */
export function truncateDeletedSessions(log: EventLog): Reaction {
  return defineReaction({
    name: 'truncate-deleted-sessions',
    version: 1,
    prefix: SESSION_STREAM_PREFIX,
    wants: ({ type, stream }) =>
      type === SESSION_DELETE && parseSessionStream(stream) !== undefined,
    // Doing it again changes nothing, and the delete itself stays.
    handle: ({ stream, revision }) => log.truncate(stream, revision),
  });
}
