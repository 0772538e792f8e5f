/** The only body the API takes: JSON in UTF-8. */
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidRequest, Problem } from '../problem/problem.js';

type Done = (error: Error | null, body?: unknown) => void;

const JSON_TYPE = 'application/json';
const BYTE_ORDER_MARK = '\ufeff';
/** A parameter of a media type, its value plain or quoted. */
const PARAMETER = /;\s*([^=;\s]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;\s"]*)/g;
/** The name of the one charset; many write it without the hyphen. */
const UTF_8 = /^"?utf-?8"?$/i;

/**
 * Replaces Fastify's parsers. An empty body is an absent one, whatever its type says: clients
 * set the type without looking. A key such as `__proto__` is a field like any other: parsing
 * makes it the object's own, nothing here copies fields by assignment, and what a field's place
 * allows refuses it by its name.
 */
export function acceptJsonOnly(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    JSON_TYPE,
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
        parse(bytes.toString('utf8'), done);
      }
    },
  );
}

function parse(text: string, done: Done): void {
  let body: unknown;
  try {
    body = JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch {
    done(invalidRequest('body', 'is not valid JSON'));
    return;
  }
  done(null, body);
}

/** A type without a charset means UTF-8, which is all that JSON may be between systems. */
function saysUtf8({ headers }: FastifyRequest): boolean {
  if (headers['content-type'] === JSON_TYPE) return true;
  for (const [, name, value = ''] of (headers['content-type'] ?? '').matchAll(PARAMETER)) {
    if (name?.toLowerCase() === 'charset' && !UTF_8.test(value)) return false;
  }
  return true;
}
