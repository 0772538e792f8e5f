/** How `planlog rebuild` is called. */
import type { Verb } from '../frame/verb.js';

const usage = `Usage: planlog rebuild <projection> [--promote] [--json]
       planlog rebuild <projection> --dry-run [--json]

Builds the rows of a projection anew from the log, beside those that are served,
and stops at the first event that cannot be folded. A rebuild that was begun
and not ended is gone on with.
  --promote  serves them once they are complete; the old ones are kept
  --dry-run  builds them, says what they would be, and throws them away; it
             reads the log itself, also beside a running server
  --json     JSON lines, as where standard error is no terminal

Asks the server at PLANLOG_URL. Where none runs on this machine it works on
PLANLOG_DATA_DIR itself, under the lock that a server would take.`;

export const rebuildVerb: Verb = {
  name: 'rebuild',
  summary: 'build the rows of a projection anew from the log',
  usage,
  load: async () => (await import('./rebuild.js')).rebuild,
};
