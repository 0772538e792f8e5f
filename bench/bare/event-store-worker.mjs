/** The bare client's process: does the jobs it is sent, one after the other. */
import * as jobs from './event-store.mjs';
import { serve } from '../lib/worker.mjs';

serve(jobs);
