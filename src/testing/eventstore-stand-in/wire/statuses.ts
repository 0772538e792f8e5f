/**
 * How calls end in error: gRPC statuses with the trailers by which the client knows what they
 * mean, and the statuses inside a batch reply, which carry a packed detail instead.
 */
import { Metadata, status } from '@grpc/grpc-js';
import type codes from '@eventstore/db-client/generated/code_pb.js';
import rpc from '@eventstore/db-client/generated/status_pb.js';
import any from 'google-protobuf/google/protobuf/any_pb.js';

export interface CallStatus {
  readonly code: status;
  readonly details: string;
  readonly metadata?: Metadata;
}

/** Ways in which a whole call fails, whatever it asked for. */
export type CallFailure =
  | 'unavailable'
  | 'shutting-down'
  | 'not-ready'
  | 'internal'
  | 'handler-exception'
  | 'cancelled'
  | 'aborted'
  | 'access-denied'
  | 'unauthenticated';

const FAILURES: Readonly<Record<CallFailure, CallStatus>> = {
  unavailable: { code: status.UNAVAILABLE, details: 'Unavailable' },
  'shutting-down': { code: status.UNAVAILABLE, details: 'Server Is Shutting Down' },
  'not-ready': { code: status.UNAVAILABLE, details: 'Server Is Not Ready' },
  internal: { code: status.INTERNAL, details: 'Internal' },
  'handler-exception': { code: status.UNKNOWN, details: 'Exception was thrown by handler.' },
  cancelled: { code: status.CANCELLED, details: 'The operation was canceled.' },
  aborted: { code: status.ABORTED, details: 'Operation timed out: Commit phase timeout' },
  'access-denied': { code: status.PERMISSION_DENIED, details: 'Access Denied' },
  unauthenticated: { code: status.UNAUTHENTICATED, details: 'Bad HTTP authentication' },
};

export const CALL_FAILURES: readonly CallFailure[] = [
  'unavailable',
  'shutting-down',
  'not-ready',
  'internal',
  'handler-exception',
  'cancelled',
  'aborted',
  'access-denied',
  'unauthenticated',
];

export function callFailure(failure: CallFailure): CallStatus {
  const known = FAILURES[failure];
  return failure === 'access-denied'
    ? { ...known, metadata: trailers('access-denied', {}) }
    : known;
}

export function notLeader(leader: { readonly host: string; readonly port: number }): CallStatus {
  return {
    code: status.NOT_FOUND,
    details: 'Leader info available',
    metadata: trailers('not-leader', {
      'leader-endpoint-host': leader.host,
      'leader-endpoint-port': String(leader.port),
    }),
  };
}

export function streamDeleted(stream: string): CallStatus {
  return {
    code: status.FAILED_PRECONDITION,
    details: `Event stream '${stream}' is deleted.`,
    metadata: trailers('stream-deleted', { 'stream-name': stream }),
  };
}

export function wrongExpectedVersion(
  operation: 'Delete' | 'Tombstone',
  stream: string,
  expected: bigint,
  actual: bigint,
): CallStatus {
  return {
    code: status.FAILED_PRECONDITION,
    details: `${operation} failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: ${expected}, Actual version: ${actual}`,
    metadata: trailers('wrong-expected-version', {
      'stream-name': stream,
      'expected-version': String(expected),
      'actual-version': String(actual),
    }),
  };
}

export function appendTooLarge(limit: number): CallStatus {
  return {
    code: status.INVALID_ARGUMENT,
    details: `Maximum Append Size of ${limit} Exceeded.`,
    metadata: trailers('maximum-append-size-exceeded', { 'maximum-append-size': String(limit) }),
  };
}

export function invalidArgument(details: string): CallStatus {
  return { code: status.INVALID_ARGUMENT, details };
}

/** A status inside a batch reply. The client tells errors apart by the name of the detail. */
export function batchStatus(
  code: codes.Code,
  message: string,
  detail: { readonly name: string; readonly bytes: Uint8Array },
): rpc.Status {
  const packed = new any.Any();
  packed.pack(detail.bytes, detail.name);
  const result = new rpc.Status();
  result.setCode(code);
  return result.setMessage(message).setDetails(packed);
}

function trailers(exception: string, values: Readonly<Record<string, string>>): Metadata {
  const metadata = new Metadata();
  metadata.set('exception', exception);
  for (const [key, value] of Object.entries(values)) {
    // Trailers carry ASCII only, and `Metadata.set` throws for the rest.
    metadata.set(key, value.replace(/[^\x20-\x7e]/g, '?'));
  }
  return metadata;
}
