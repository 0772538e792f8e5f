/** What the demo is told by its arguments and its environment. */
import { parseArgs } from 'node:util';

export const DEMO_USAGE =
  'Usage: npm run demo [-- --speed <factor>]\n' +
  '  --speed   2 is twice as fast, max does not wait; 1 by default\n' +
  'PLANLOG_URL is the server; http://127.0.0.1:3000 by default\n';

export interface DemoArguments {
  readonly help: boolean;
  readonly speed: number;
  readonly url: string;
}

/** @throws {Error} an argument cannot be used; the message says what is allowed */
export function readDemoArguments(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): DemoArguments {
  const { values } = parseArgs({
    args: [...args],
    options: { speed: { type: 'string', default: '1' }, help: { type: 'boolean', default: false } },
  });
  return { help: values.help, speed: toSpeed(values.speed), url: toUrl(env['PLANLOG_URL']) };
}

function toSpeed(text: string): number {
  if (text === 'max') return Infinity;
  const speed = /^\d{1,6}(\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  if (speed > 0) return speed;
  throw new Error(`--speed is "${text}"; allowed is a number above 0, or max`);
}

function toUrl(text: string | undefined): string {
  const url = text === undefined || text === '' ? 'http://127.0.0.1:3000' : text;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new Error(`PLANLOG_URL is "${url}"; allowed is an address such as http://127.0.0.1:3000`);
  }
  return url.replace(/\/+$/, '');
}
