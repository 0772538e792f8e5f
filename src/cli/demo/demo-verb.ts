/** `planlog demo`: sessions to watch, against a server that runs. */
import { EXIT, type RunVerb, type Verb } from '../frame/verb.js';
import { DEMO_USAGE, readDemoArguments } from './demo-options.js';

const run: RunVerb = async (args, { env, out, signal }) => {
  const { speed, url } = readDemoArguments(args, env);
  const { runDemo } = await import('./run-demo.js');
  const print = (line: string): void => {
    out(`${line}\n`);
  };
  await runDemo({ url, speed, run: Date.now().toString(36), print, signal });
  return EXIT.done;
};

export const demoVerb: Verb = {
  name: 'demo',
  summary: 'play scripted sessions against a running server',
  usage: DEMO_USAGE,
  load: () => Promise.resolve(run),
};
