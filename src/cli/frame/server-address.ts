/** Where the running server is, as all sub-commands find it. */
import { UsageError } from './verb.js';

const DEFAULT_URL = 'http://127.0.0.1:3000';

/**
 * `PLANLOG_URL`, without a slash at its end.
 *
 * @throws {UsageError} it is no address
 */
export function serverUrl(env: Readonly<Record<string, string | undefined>>): string {
  const text = env['PLANLOG_URL'];
  const url = text === undefined || text === '' ? DEFAULT_URL : text;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new UsageError(`PLANLOG_URL is "${url}"; allowed is an address such as ${DEFAULT_URL}`);
  }
  return url.replace(/\/+$/, '');
}
