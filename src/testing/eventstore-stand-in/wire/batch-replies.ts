/**
 * The answers on a batch stream. Errors are a status with a packed detail inside the reply; the
 * call itself goes on.
 */
import codes from '@eventstore/db-client/generated/code_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type rpc from '@eventstore/db-client/generated/status_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import type { ExpectedRevision } from '../store/append-decision.js';
import type { AppendOutcome } from '../store/event-store.js';
import { streamIdentifier } from './identifiers.js';
import { batchStatus } from './statuses.js';

type Stored = Extract<AppendOutcome, { kind: 'appended' | 'idempotent' }>;

export function batchSuccess({ revision, position }: Stored): streams.BatchAppendResp.Success {
  const at = new shared.AllStreamPosition()
    .setCommitPosition(String(position))
    .setPreparePosition(String(position));
  const success = new streams.BatchAppendResp.Success().setPosition(at);
  return revision === undefined
    ? success.setNoStream(new empty.Empty())
    : success.setCurrentRevision(String(revision));
}

export function batchConflict(expected: ExpectedRevision, current: bigint | undefined): rpc.Status {
  const detail = new shared.WrongExpectedVersion();
  if (current === undefined) detail.setCurrentNoStream(new empty.Empty());
  else detail.setCurrentStreamRevision(String(current));
  if (expected === 'any') detail.setExpectedAny(new empty.Empty());
  else if (expected === 'no_stream') detail.setExpectedNoStream(new empty.Empty());
  else if (expected === 'stream_exists') detail.setExpectedStreamExists(new empty.Empty());
  else detail.setExpectedStreamPosition(String(expected));
  return batchStatus(codes.Code.FAILED_PRECONDITION, 'WrongExpectedVersion', {
    name: 'event_store.client.WrongExpectedVersion',
    bytes: detail.serializeBinary(),
  });
}

export function batchStreamDeleted(stream: string): rpc.Status {
  return batchStatus(codes.Code.FAILED_PRECONDITION, 'StreamDeleted', {
    name: 'event_store.client.StreamDeleted',
    bytes: new shared.StreamDeleted()
      .setStreamIdentifier(streamIdentifier(stream))
      .serializeBinary(),
  });
}

export function batchTooLarge(limit: number): rpc.Status {
  return batchStatus(codes.Code.INVALID_ARGUMENT, 'MaxAppendSizeExceeded', {
    name: 'event_store.client.MaximumAppendSizeExceeded',
    bytes: new shared.MaximumAppendSizeExceeded().setMaxappendsize(limit).serializeBinary(),
  });
}

export function batchTimeout(): rpc.Status {
  return batchStatus(codes.Code.DEADLINE_EXCEEDED, 'Timeout', {
    name: 'event_store.client.Timeout',
    bytes: new shared.Timeout().serializeBinary(),
  });
}

export function batchAccessDenied(): rpc.Status {
  return batchStatus(codes.Code.PERMISSION_DENIED, 'AccessDenied', {
    name: 'event_store.client.AccessDenied',
    bytes: new shared.AccessDenied().serializeBinary(),
  });
}

export function batchUnknown(): rpc.Status {
  return batchStatus(codes.Code.UNKNOWN, 'Unknown', {
    name: 'event_store.client.Unknown',
    bytes: new shared.Unknown().serializeBinary(),
  });
}

export function batchBadRequest(message: string): rpc.Status {
  return batchStatus(codes.Code.INVALID_ARGUMENT, 'BadRequest', {
    name: 'event_store.client.BadRequest',
    bytes: new shared.BadRequest().setMessage(message).serializeBinary(),
  });
}

/** Not ready has no detail of its own, so the client recognises nothing but the text. */
export function batchNotReady(): rpc.Status {
  return batchStatus(codes.Code.UNAVAILABLE, 'Server Is Not Ready', {
    name: 'google.protobuf.Empty',
    bytes: new empty.Empty().serializeBinary(),
  });
}
