/** Parameters of the routes: from the path, the query and the headers. */
import { z } from 'zod';
import { commandIdSchema } from '../request/command-id.js';
import {
  actorHeaderSchema,
  ifMatchSchema,
  ifNoneMatchSchema,
  lastEventIdSchema,
  traceparentSchema,
} from '../request/header.schemas.js';
import { changeIdSchema } from '../overview/overview.schemas.js';
import { idSchema } from '../request/ids.js';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: z.ZodType;
}

export function pathParameter(
  name: string,
  description: string,
  schema: z.ZodType = idSchema,
): Parameter {
  return { name, in: 'path', required: true, description, schema };
}

/** One for each field of the schema that parses the query. */
export function queryParameters(schema: z.ZodObject): Parameter[] {
  return Object.entries(schema.shape).map(([name, field]) => {
    const type = z.instanceof(z.ZodType).parse(field);
    return {
      name,
      in: 'query',
      required: !type.safeParse(undefined).success,
      description: type.description ?? '',
      schema: type,
    };
  });
}

export const SESSION_ID = pathParameter('sessionId', 'The session.');
export const TURN_ID = pathParameter('turnId', 'The turn.');

export const ACTOR = header(
  'Planlog-Actor',
  'Who acts. Only where no auth is configured; else the token says it. Only `agent` writes lists.',
  actorHeaderSchema,
);

/** Makes a command safe to repeat. */
export const IDEMPOTENCY_KEY = header(
  'Idempotency-Key',
  'The id of the command: sent again with the same content it is carried out once. The server makes one where it is absent, and every answer returns it.',
  commandIdSchema,
);

export const IF_MATCH = header(
  'If-Match',
  'The revision the session must be at, in quotes, or an ETag of its view; several, or `*` for any. Send it with each StartTurn that may be repeated.',
  ifMatchSchema,
);

export const TRACEPARENT = header(
  'traceparent',
  'W3C trace context, stored with the events. What is of another form is ignored.',
  traceparentSchema,
);

export const IF_NONE_MATCH = header(
  'If-None-Match',
  'ETags that the caller has, or `*`: 304 where one of them is still right.',
  ifNoneMatchSchema,
);

export const LAST_EVENT_ID = header(
  'Last-Event-ID',
  'The id of the last frame that was seen: the first frame waits, at most 5 s, until it is not older.',
  lastEventIdSchema,
);

export const LAST_CHANGE_ID = header(
  'Last-Event-ID',
  'The number of the last change that was seen, from a frame or from `Planlog-Change`. One that is not known yet is of a read model that is gone: everything is told again.',
  changeIdSchema,
);

/** What every session command takes. */
export const COMMAND_HEADERS = [IDEMPOTENCY_KEY, IF_MATCH, ACTOR, TRACEPARENT] as const;

function header(name: string, description: string, schema: z.ZodType): Parameter {
  return { name, in: 'header', required: false, description, schema };
}
