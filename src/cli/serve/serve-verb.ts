/** `planlog serve`: the stock server. */
import type { RunVerb, Verb } from '../frame/verb.js';
import { UsageError } from '../frame/verb.js';

const usage = `Usage: planlog serve

Runs the server until SIGINT or SIGTERM. It is configured by its environment:
  HOST, PORT        where to listen; 127.0.0.1 and 3000 by default
  PLANLOG_DATA_DIR  event log and read models; ./data by default
  EVENTSTORE_URL    esdb://…: EventStoreDB in place of the embedded log
The README lists all variables. A value that cannot be used stops the start.`;

const run: RunVerb = async (args, { env, out, err, signal }) => {
  const [argument] = args;
  if (argument !== undefined) {
    throw new UsageError(`"${argument}" is not known: serve is configured by its environment`);
  }
  const { serve } = await import('../../server/serve.js');
  return serve({ env, out, err, signal });
};

export const serveVerb: Verb = {
  name: 'serve',
  summary: 'run the server',
  usage,
  load: () => Promise.resolve(run),
};
