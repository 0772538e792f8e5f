/** What the demo is told by its arguments and its environment. */
import { parseArgs } from 'node:util';
import { serverUrl } from '../frame/server-address.js';
import { UsageError } from '../frame/verb.js';

export const DEMO_USAGE = `Usage: planlog demo [--speed <factor>]

Plays scripted sessions against the server at PLANLOG_URL.
  --speed   2 is twice as fast, max does not wait; 1 by default`;

export interface DemoArguments {
  readonly speed: number;
  readonly url: string;
}

/** @throws {UsageError} an argument cannot be used; the message says what is allowed */
export function readDemoArguments(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): DemoArguments {
  const { values } = parseArgs({
    args: [...args],
    options: { speed: { type: 'string', default: '1' } },
  });
  return { speed: toSpeed(values.speed), url: serverUrl(env) };
}

function toSpeed(text: string): number {
  if (text === 'max') return Infinity;
  const speed = /^\d{1,6}(\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  if (speed > 0) return speed;
  throw new UsageError(`--speed is "${text}"; allowed is a number above 0, or max`);
}
