/** How `planlog parked` is called. */
import type { Verb } from '../frame/verb.js';

const usage = `Usage: planlog parked <projection> [list] [--json]
       planlog parked <projection> retry <key>... [--json]
       planlog parked <projection> discard <key>... [--json]

Shows the keys that stand still at an event that could not be folded: of the
projections of sessions a key is <tenant>.<session>.
  retry    folds their events anew, such as after an update that can read them
  discard  has the event at which each stands passed over, for ever and by every
           rebuild, then folds its events anew; the event stays in the log
  --json   as JSON

It exits with 1 where a key stands still again. Asks the server at PLANLOG_URL.
Where none runs on this machine it works on PLANLOG_DATA_DIR itself, under the
lock that a server would take.`;

export const parkedVerb: Verb = {
  name: 'parked',
  summary: 'what stands still at an event that cannot be read; retry or discard',
  usage,
  load: async () => (await import('./parked.js')).parked,
};
