/** How a session is named: one stream a session, `agentSession-<tenant>.<session>`. */

/** Every session's stream starts with this. Up to the first `-` is the stream's category. */
export const SESSION_STREAM_PREFIX = 'agentSession-';

/** The tenant where there is only one. */
export const DEFAULT_TENANT = 'default';

/** `[a-z0-9][a-z0-9_]{0,62}`: it has no dot, so the first one ends it. */
export const TENANT_PATTERN = /^[a-z0-9][a-z0-9_]{0,62}$/;
/** Session and turn ids. */
export const ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$/;

/** A session of a tenant. */
export interface SessionRef {
  readonly tenant: string;
  readonly sessionId: string;
}

/** `<tenant>.<session>`: the session's key in read models and its `$correlationId`. */
export function sessionKey({ tenant, sessionId }: SessionRef): string {
  return `${tenant}.${sessionId}`;
}

export function sessionStream(session: SessionRef): string {
  return SESSION_STREAM_PREFIX + sessionKey(session);
}

/** The session key a stream stands for; undefined for any other stream. */
export function sessionKeyOfStream(stream: string): string | undefined {
  return parseSessionStream(stream) === undefined
    ? undefined
    : stream.slice(SESSION_STREAM_PREFIX.length);
}

/** The session a stream belongs to; undefined for any other stream. */
export function parseSessionStream(stream: string): SessionRef | undefined {
  if (!stream.startsWith(SESSION_STREAM_PREFIX)) return undefined;
  return parseSessionKey(stream.slice(SESSION_STREAM_PREFIX.length));
}

/** The session that a key names; undefined where the text is no key. */
export function parseSessionKey(key: string): SessionRef | undefined {
  const dot = key.indexOf('.');
  if (dot < 0) return undefined;
  const tenant = key.slice(0, dot);
  const sessionId = key.slice(dot + 1);
  return TENANT_PATTERN.test(tenant) && ID_PATTERN.test(sessionId)
    ? { tenant, sessionId }
    : undefined;
}
