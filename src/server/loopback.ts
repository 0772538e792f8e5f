/**
 * What counts as this machine. Where no auth is configured only it may ask, and a web page that
 * points its own name here (DNS rebinding) is told apart by the name that it asks for.
 */
import { isIPv4 } from 'node:net';

const NAME = String.raw`(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?`;
const HOST_HEADER = new RegExp(`^${NAME}$`, 'i');
const ORIGIN_HEADER = new RegExp(`^https?://${NAME}$`, 'i');

/** May a server without auth listen there? */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/** Does a Host header name this machine? */
export function isLoopbackHostHeader(header: string): boolean {
  return HOST_HEADER.test(header);
}

/** Does an Origin header name a page of this machine? */
export function isLoopbackOrigin(header: string): boolean {
  return ORIGIN_HEADER.test(header);
}
