/** The only body the API takes: JSON in UTF-8. */
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidRequest, Problem } from '../problem/problem.js';

type Done = (error: Error | null, body?: unknown) => void;

/** A parameter of a media type, its value plain or quoted. */
const PARAMETER = /;\s*([^=;\s]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;\s"]*)/g;
/** The name of the one charset; many write it without the hyphen. */
const UTF_8 = /^"?utf-?8"?$/i;

/**
 * Replaces Fastify's parsers. An empty body is an absent one, whatever its type says: clients
 * set the type without looking. Keys that poison prototypes are refused.
 */
export function acceptJsonOnly(fastify: FastifyInstance): void {
  const parseJson = fastify.getDefaultJsonParser('error', 'error');
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: FastifyRequest, bytes: Buffer, done: Done) => {
      if (bytes.length === 0) {
        done(null, undefined);
      } else if (!saysUtf8(request)) {
        const what = 'send the body as application/json, in UTF-8: leave the charset out';
        done(new Problem('unsupported_media_type', what));
      } else if (!isUtf8(bytes)) {
        // Decoding would put replacement characters in the place of what was sent.
        done(invalidRequest('body', 'is not valid UTF-8'));
      } else {
        void parseJson(request, bytes.toString('utf8'), (error, body) => {
          done(error === null ? null : invalidRequest('body', 'is not valid JSON'), body);
        });
      }
    },
  );
}

/** A type without a charset means UTF-8, which is all that JSON may be between systems. */
function saysUtf8({ headers }: FastifyRequest): boolean {
  for (const [, name, value = ''] of (headers['content-type'] ?? '').matchAll(PARAMETER)) {
    if (name?.toLowerCase() === 'charset' && !UTF_8.test(value)) return false;
  }
  return true;
}
