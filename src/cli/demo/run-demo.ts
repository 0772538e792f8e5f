/** The demo: all scripts at once against one server, then where to look at what they left. */
import { setTimeout as sleep } from 'node:timers/promises';
import { assertServer } from './agent-client.js';
import { playScript } from './play-script.js';
import type { Script } from './script.js';
import { SCRIPTS } from './scripts.js';

/** Between two steps of a session, at speed 1. */
const STEP_MS = 2_000;
/** Between the first steps of two sessions, so that they do not walk in step. */
const OFFSET_MS = 350;

export interface DemoOptions {
  readonly url: string;
  /** 1 to watch, 2 for twice as fast; Infinity does not wait at all. */
  readonly speed: number;
  /** Part of the session ids: no two runs share one. */
  readonly run: string;
  readonly print: (line: string) => void;
  /** Ends the demo early. */
  readonly signal: AbortSignal;
}

/**
 * Resolves when every script is at its end, or was ended by the signal.
 *
 * @throws {NoServerError} no server answers
 */
export async function runDemo({ url, speed, run, print, signal }: DemoOptions): Promise<void> {
  await assertServer(url);
  const prefix = `demo-${run}-`;
  print(`${SCRIPTS.length} sessions at ${url}. Ctrl-C ends them.`);
  const wait = async (ms: number): Promise<void> => {
    if (speed !== Infinity) await sleep(ms / speed, undefined, { signal }).catch(endEarly);
  };
  const played = await Promise.allSettled(
    SCRIPTS.map(async (script, index) => {
      await wait(index * OFFSET_MS);
      await playScript(script, { url, prefix, print, signal, pause: () => wait(STEP_MS) });
    }),
  );
  const failure = played.find((result) => result.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
  for (const line of addresses(url, prefix, signal.aborted)) print(line);
}

/** Every session of the demo, forks too. */
export function sessionsOf(scripts: readonly Script[]): Script[] {
  return scripts.flatMap((script) => {
    const forks = script.steps.flatMap((step) => (step.does === 'fork' ? [step.into] : []));
    return [script, ...sessionsOf(forks)];
  });
}

function addresses(url: string, prefix: string, early: boolean): string[] {
  if (early) return ['Ended early: no turn is left open.', `The API: ${url}/docs`];
  const [first] = SCRIPTS;
  const live = `${url}/v1/sessions/${prefix}${first?.name ?? ''}/todos`;
  return [
    'Look at them:',
    ...sessionsOf(SCRIPTS).map(
      ({ name, ends }) => `  ${ends.padEnd(12)} ${url}/v1/sessions/${prefix}${name}/todos`,
    ),
    `All lists of one: ${live}/history`,
    `Live, in a terminal: curl -N ${live}/events`,
    `The API: ${url}/docs`,
  ];
}

/** The signal cuts a pause short; whoever paused looks at it. */
function endEarly(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error;
}
