/** The only body the API takes: JSON in UTF-8. */
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidRequest } from '../problem/problem.js';

type Done = (error: Error | null, body?: unknown) => void;

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
