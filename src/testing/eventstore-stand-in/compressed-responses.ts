/**
 * Gzips every message to a client that can read gzip, as a real server does: it costs both sides
 * a good part of their speed (eventstoredb.md 0a). The library has no option for it, so it is
 * done to the stream below, on which each write is one whole message.
 */
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { gzipSync } from 'node:zlib';

/** A flag, and the length of the message, before each message. */
const HEAD_BYTES = 5;

export function compressResponses(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
  const accepted = headers['grpc-accept-encoding'];
  if (typeof accepted !== 'string' || !accepted.split(',').includes('gzip')) return;
  const respond = stream.respond.bind(stream);
  stream.respond = (fields, options) => {
    respond({ ...fields, 'grpc-encoding': 'gzip' }, options);
  };
  const write: unknown = Reflect.get(stream, 'write');
  if (typeof write !== 'function') throw new Error('a stream that cannot be written to');
  Reflect.set(stream, 'write', (chunk: unknown, ...rest: unknown[]): unknown => {
    const message = Buffer.isBuffer(chunk) ? gzipped(chunk) : chunk;
    const written: unknown = Reflect.apply(write, stream, [message, ...rest]);
    return written;
  });
}

function gzipped(message: Buffer): Buffer {
  const body = gzipSync(message.subarray(HEAD_BYTES));
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(1, 0);
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}
