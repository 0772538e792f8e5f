/** How `planlog projections` is called. */
import type { Verb } from '../frame/verb.js';

const usage = `Usage: planlog projections [list] [--json]
       planlog projections pause <projection> [--json]
       planlog projections resume <projection> [--json]

Shows how the projections are doing, lets one stand still, also over restarts,
or lets it go on. While one is paused, readers are answered from its rows as
they are.
  --json  as JSON

Asks the server at PLANLOG_URL. Where none runs on this machine it works on
PLANLOG_DATA_DIR itself, under the lock that a server would take.`;

export const projectionsVerb: Verb = {
  name: 'projections',
  summary: 'how projections are doing; pause and resume them',
  usage,
  load: async () => (await import('./projections.js')).projections,
};
