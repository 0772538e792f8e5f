/**
 * Keeps a server from compressing its responses to us. A server gzips whatever a client can
 * read, and grpc-js always says it can read gzip, with no option against it. Saying `identity`
 * only doubles appends and triples reads inside a data centre (eventstoredb.md 0a).
 *
 * grpc-js may serve the host application too, so only calls that carry one of our connection
 * names are changed. A test on the wire fails when an update undoes it.
 */
import { createRequire } from 'node:module';

const FILTER = '@grpc/grpc-js/build/src/compression-filter.js';
const CONNECTION_NAME = 'connection-name';
const ACCEPTED = 'grpc-accept-encoding';

const names = new Set<string>();
let installed = false;

interface Headers {
  get(key: string): unknown;
  set(key: string, value: string): void;
}

/** Calls of this connection take uncompressed responses from now on. */
export function acceptUncompressedOnly(connectionName: string): void {
  names.add(connectionName);
  if (installed) return;
  installed = true;
  const prototype = filterPrototype();
  const original: unknown = Reflect.get(prototype, 'sendMetadata');
  if (typeof original !== 'function') throw new Error(`${FILTER} has no sendMetadata to wrap`);
  Reflect.set(prototype, 'sendMetadata', async function (this: unknown, metadata: unknown) {
    const headers: unknown = await Reflect.apply(original, this, [metadata]);
    if (isHeaders(headers) && isOurs(headers.get(CONNECTION_NAME))) {
      headers.set(ACCEPTED, 'identity');
    }
    return headers;
  });
}

/** The connection is closed. */
export function forgetConnection(connectionName: string): void {
  names.delete(connectionName);
}

function isOurs(values: unknown): boolean {
  const list: readonly unknown[] = Array.isArray(values) ? values : [];
  return list.some((value) => typeof value === 'string' && names.has(value));
}

/** Of the very grpc-js that db-client uses: another copy would change nothing. */
function filterPrototype(): object {
  const here = createRequire(import.meta.url);
  const module: unknown = createRequire(here.resolve('@eventstore/db-client'))(FILTER);
  const filter: unknown = isObject(module) ? Reflect.get(module, 'CompressionFilter') : undefined;
  const prototype: unknown = isObject(filter) ? Reflect.get(filter, 'prototype') : undefined;
  if (!isObject(prototype)) throw new Error(`${FILTER} is not what it was`);
  return prototype;
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function isHeaders(value: unknown): value is Headers {
  return (
    isObject(value) &&
    typeof Reflect.get(value, 'get') === 'function' &&
    typeof Reflect.get(value, 'set') === 'function'
  );
}
