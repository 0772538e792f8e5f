/** How `planlog delete` is called. */
import type { Verb } from '../frame/verb.js';

const usage = `Usage: planlog delete <session> [--tenant <tenant>]

Deletes a session: its lists go from the log, and its id is never used again.
Again is no error.
  --tenant  where no server runs; "default" by default. A server takes the
            tenant from PLANLOG_TOKEN.

Asks the server at PLANLOG_URL. Where none runs on this machine it works on
PLANLOG_DATA_DIR itself, under the lock that a server would take.`;

export const deleteVerb: Verb = {
  name: 'delete',
  summary: 'delete a session and what it held',
  usage,
  load: async () => (await import('./delete.js')).deleteSession,
};
