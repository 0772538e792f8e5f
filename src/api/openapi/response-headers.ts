/** Headers of the answers. */
import { z } from 'zod';
import { changeIdSchema } from '../overview/overview.schemas.js';
import { commandIdSchema } from '../request/command-id.js';
import { positionSchema } from '../request/scalar.schemas.js';

export interface ResponseHeader {
  readonly name: string;
  readonly description: string;
  /** False where the answer may lack it. */
  readonly required: boolean;
  readonly schema: z.ZodType;
}

export const NO_STORE = cacheControl('no-store', 'Not to be stored.');
export const PRIVATE_NO_CACHE = cacheControl(
  'private, no-cache',
  'To be kept by the caller alone, and asked for again with If-None-Match where it has an ETag.',
);
export const NO_CACHE = cacheControl('no-cache', 'To be asked for again with If-None-Match.');

export const COMMAND_ID: ResponseHeader = {
  name: 'Idempotency-Key',
  description: 'The id of the command, as it was sent or as the server has made it.',
  required: true,
  schema: commandIdSchema,
};

/** A key that is not of its form is not returned. */
export const COMMAND_ID_OF_PROBLEM: ResponseHeader = { ...COMMAND_ID, required: false };

export const POSITION: ResponseHeader = {
  name: 'Planlog-Position',
  description: "Where the command's last event lies: wait for it with `after`.",
  required: true,
  schema: positionSchema,
};

export const CHANGE: ResponseHeader = {
  name: 'Planlog-Change',
  description: 'The number of a change that the page shows: follow from it, as `Last-Event-ID`.',
  required: true,
  schema: changeIdSchema,
};

export const VIEW_ETAG: ResponseHeader = {
  name: 'ETag',
  description: 'The revision of the view, in quotes. Also taken as If-Match.',
  required: true,
  schema: z.string().regex(/^"\d{1,19}(\.\d{1,15})?"$/),
};

export const CONTENT_ETAG: ResponseHeader = {
  name: 'ETag',
  description: 'Changes with the content.',
  required: true,
  schema: z.string().regex(/^"[\w-]+"$/),
};

export const WWW_AUTHENTICATE: ResponseHeader = {
  name: 'WWW-Authenticate',
  description: 'How to authenticate (RFC 6750).',
  required: true,
  schema: z.literal('Bearer'),
};

export const RETRY_AFTER: ResponseHeader = {
  name: 'Retry-After',
  description: 'Seconds to wait before trying again.',
  required: true,
  schema: z.string().regex(/^\d+$/),
};

export const UNBUFFERED: ResponseHeader = {
  name: 'X-Accel-Buffering',
  description: 'Keeps proxies from holding frames back.',
  required: true,
  schema: z.literal('no'),
};

export const CONTENT_SECURITY_POLICY: ResponseHeader = {
  name: 'Content-Security-Policy',
  description: 'The page runs nothing but its own scripts.',
  required: true,
  schema: z.string(),
};

function cacheControl(value: string, description: string): ResponseHeader {
  return { name: 'Cache-Control', description, required: true, schema: z.literal(value) };
}
