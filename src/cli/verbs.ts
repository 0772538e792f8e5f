/** Every sub-command of `planlog`, in the order of the help. */
import { deleteVerb } from './admin/delete-verb.js';
import { parkedVerb } from './admin/parked-verb.js';
import { projectionsVerb } from './admin/projections-verb.js';
import type { Verb } from './frame/verb.js';
import { demoVerb } from './demo/demo-verb.js';
import { rebuildVerb } from './rebuild/rebuild-verb.js';
import { serveVerb } from './serve/serve-verb.js';
import { tokenVerb } from './token/token-verb.js';

export const VERBS: readonly Verb[] = [
  serveVerb,
  projectionsVerb,
  parkedVerb,
  rebuildVerb,
  deleteVerb,
  demoVerb,
  tokenVerb,
];
