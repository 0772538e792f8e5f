/** Answers that are the same for all and change only with the version: sent once, then 304. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

export interface StaticContent {
  readonly mediaType: string;
  readonly body: Buffer;
  /** In quotes. */
  readonly etag: string;
}

export function staticContent(mediaType: string, content: string | Buffer): StaticContent {
  const body = typeof content === 'string' ? Buffer.from(content) : content;
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  return { mediaType, body, etag: `"${hash}"` };
}

/** 304 where the caller has it already. */
export function sendStatic(
  request: FastifyRequest,
  reply: FastifyReply,
  { mediaType, body, etag }: StaticContent,
): void {
  void reply
    .header('ETag', etag)
    .header('Cache-Control', 'no-cache')
    // Types are right: none is to be guessed from the bytes.
    .header('X-Content-Type-Options', 'nosniff');
  if (has(request.headers['if-none-match'], etag)) void reply.code(304).send();
  else void reply.header('Content-Type', mediaType).send(body);
}

/** Our tags hold no comma. */
function has(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.includes(etag) || (tags.length === 1 && tags[0] === '*');
}
