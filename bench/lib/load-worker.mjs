/** The load generator's process. */
import * as jobs from './jobs.mjs';
import { serve } from './worker.mjs';

serve(jobs);
