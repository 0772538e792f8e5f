/**
 * The one place that says what an error of db-client, of gRPC or of the network means. For an
 * append the question is always: can it be stored? Only what a server was measured to answer
 * without storing is `nothing stored`; everything else has an unknown outcome.
 */

/** What came of an append. */
export type AppendFailure =
  /** Nothing was stored: the stream is elsewhere. */
  | { readonly kind: 'conflict'; readonly actual: bigint | null }
  /** Nothing was stored: the server's own limit is lower. */
  | { readonly kind: 'too_large'; readonly limit: number }
  /** Nothing was stored; the same append works soon (a server that starts, a new leader). */
  | { readonly kind: 'not_ready' }
  /** Nothing was stored: the deadline had passed when the server read it. */
  | { readonly kind: 'clock_behind' }
  /** Nothing was stored, and a person has to act. */
  | { readonly kind: 'refused'; readonly problem: string }
  /** Nothing was sent. */
  | { readonly kind: 'unreachable' }
  /** It may be stored now or later. `suspect`: the client itself may be broken. */
  | { readonly kind: 'unknown'; readonly suspect: boolean };

/** What came of a read or a subscription. */
export type CallFailure =
  | { readonly kind: 'no_stream' }
  | { readonly kind: 'refused'; readonly problem: string }
  | { readonly kind: 'unreachable' };

/** Which way an append took. */
export type AppendPath = 'batch' | 'classic';

/** A deadline that is over in this part of its time was over when it was sent. */
const SOON = 0.1;
const UNAVAILABLE = 14;
const UNAUTHENTICATED = 16;
/** Codes after which a new client is needed: 6.2.1 keeps the connection (C#480). */
const BROKEN = new Set([13, 15]);

export function classifyAppend(
  error: unknown,
  path: AppendPath,
  elapsedMs: number,
  deadlineMs: number,
): AppendFailure {
  const { type, code, text } = partsOf(error);
  // Not an answer to this append, but the end of the stream that it shares with others. Only a
  // password is looked at before anything else.
  if (path === 'batch' && type !== undefined && code !== undefined && code !== UNAUTHENTICATED) {
    return { kind: 'unknown', suspect: type === 'unknown' && BROKEN.has(code) };
  }
  switch (type) {
    case 'wrong-expected-version':
      return { kind: 'conflict', actual: actualRevision(error) };
    case 'maximum-append-size-exceeded':
      return { kind: 'too_large', limit: Number(fieldOf(error, 'maxAppendSize')) || 0 };
    case 'access-denied':
      return { kind: 'refused', problem: deniedText(code, 'append to the stream') };
    case 'stream-deleted':
      return { kind: 'refused', problem: 'the stream was tombstoned and can never be written' };
    case 'deadline-exceeded':
      // eventstoredb.md 0a, "Clock": the batch path sends an absolute time.
      return path === 'batch' && elapsedMs < deadlineMs * SOON
        ? { kind: 'clock_behind' }
        : { kind: 'unknown', suspect: false };
    case 'unknown':
      // Answers to this one append that db-client has no class for.
      if (/^Could not recognize .*Server Is (Not Ready|Busy)/i.test(text)) {
        return { kind: 'not_ready' };
      }
      if (/^Could not recognize BadRequest/i.test(text)) {
        return { kind: 'refused', problem: 'the server calls the append malformed' };
      }
      return { kind: 'unknown', suspect: false };
    case undefined:
      // From the question which methods the server has, or from discovery: before the append
      // is sent (faults.md A10). The classic path asks neither.
      if (path === 'batch' && (code !== undefined || isDiscovery(text))) {
        return { kind: 'unreachable' };
      }
      return { kind: 'unknown', suspect: true };
    default:
      return { kind: 'unknown', suspect: false };
  }
}

export function classifyCall(error: unknown, what: string): CallFailure {
  const { type, code } = partsOf(error);
  if (type === 'stream-not-found') return { kind: 'no_stream' };
  if (type === 'access-denied') return { kind: 'refused', problem: deniedText(code, what) };
  if (type === 'stream-deleted') {
    return { kind: 'refused', problem: 'the stream was tombstoned and can never be read' };
  }
  return { kind: 'unreachable' };
}

/**
 * What a person has to mend before the server can be reached at all, or undefined where
 * waiting may help. All of these look like an outage (eventstoredb.md 0a, "Secure mode").
 */
export function settingProblem(error: unknown): string | undefined {
  const { type, code, text } = partsOf(error);
  if (type === 'access-denied' && code === UNAUTHENTICATED) return deniedText(code, '');
  if (/wrong version number|packet length too long|unsupported protocol/i.test(text)) {
    return `the port does not speak TLS; if that is meant, say tls=false (${text})`;
  }
  if (/altnames/i.test(text)) {
    return `the server's certificate is for another name; connect by a name that it holds (${text})`;
  }
  if (/certificate has expired|certificate is not yet valid/i.test(text)) {
    return `the server's certificate is not valid now; renew it, or mend the clock (${text})`;
  }
  if (/certificate|self.signed/i.test(text)) {
    return `the server's certificate is not trusted; name its CA with tlsCAFile (${text})`;
  }
  return undefined;
}

/** The text of any error. */
export function messageOf(error: unknown): string {
  return partsOf(error).text;
}

/** Whether the error says that the server cannot be reached. */
export function isUnavailable(error: unknown): boolean {
  const { type, code } = partsOf(error);
  return type === 'unavailable' || code === UNAVAILABLE;
}

function deniedText(code: number | undefined, what: string): string {
  return code === UNAUTHENTICATED
    ? 'the server does not accept the user name or the password'
    : `the user is not allowed to ${what}`;
}

function actualRevision(error: unknown): bigint | null {
  const actual = fieldOf(error, 'actualVersion');
  return typeof actual === 'bigint' && actual >= 0n ? actual : null;
}

function isDiscovery(text: string): boolean {
  return text.startsWith('Failed to discover');
}

function partsOf(error: unknown): { type?: string; code?: number; text: string } {
  const type = fieldOf(error, 'type');
  const code = fieldOf(error, 'code');
  const message = fieldOf(error, 'message');
  return {
    ...(typeof type === 'string' ? { type } : {}),
    ...(typeof code === 'number' ? { code } : {}),
    text: typeof message === 'string' ? message : String(error),
  };
}

function fieldOf(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
}
