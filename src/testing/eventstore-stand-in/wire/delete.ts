/**
 * Streams.Delete hides a stream until it is appended to again; Streams.Tombstone ends it for ever.
 */
import type { sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerContext } from '../server-context.js';
import type { AppendOutcome } from '../store/event-store.js';
import type { ExpectedRevision } from '../store/append-decision.js';
import { expectedNumber, expectedRevision } from './expected-revision.js';
import { streamName } from './identifiers.js';
import {
  invalidArgument,
  streamDeleted,
  wrongExpectedVersion,
  type CallStatus,
} from './statuses.js';

type Unary<Request, Response> = (
  call: ServerUnaryCall<Request, Response>,
  respond: sendUnaryData<Response>,
) => void;

export function serveDelete(context: ServerContext): Unary<streams.DeleteReq, streams.DeleteResp> {
  return (call, respond) => {
    const deleted = remove(context, 'Delete', call);
    if ('code' in deleted) respond(deleted);
    else {
      const position = new streams.DeleteResp.Position()
        .setCommitPosition(deleted.position)
        .setPreparePosition(deleted.position);
      respond(null, new streams.DeleteResp().setPosition(position));
    }
  };
}

export function serveTombstone(
  context: ServerContext,
): Unary<streams.TombstoneReq, streams.TombstoneResp> {
  return (call, respond) => {
    const deleted = remove(context, 'Tombstone', call);
    if ('code' in deleted) respond(deleted);
    else {
      const position = new streams.TombstoneResp.Position()
        .setCommitPosition(deleted.position)
        .setPreparePosition(deleted.position);
      respond(null, new streams.TombstoneResp().setPosition(position));
    }
  };
}

function remove(
  context: ServerContext,
  operation: 'Delete' | 'Tombstone',
  call: ServerUnaryCall<streams.DeleteReq | streams.TombstoneReq, unknown>,
): CallStatus | { readonly position: string } {
  const refusal = context.refusal('delete', call.metadata);
  if (refusal !== undefined) return refusal;
  const options = call.request.getOptions();
  const stream = streamName(options?.getStreamIdentifier());
  if (options === undefined || stream === undefined) {
    return invalidArgument("Required field 'stream_identifier' not set.");
  }
  const denial = context.denial(call.metadata, 'write', stream);
  if (denial !== undefined) return denial;
  const expected = expectedRevision(options);
  const outcome =
    operation === 'Delete'
      ? context.store.delete(stream, expected)
      : context.store.tombstone(stream, expected);
  return result(operation, stream, expected, outcome);
}

function result(
  operation: 'Delete' | 'Tombstone',
  stream: string,
  expected: ExpectedRevision,
  outcome: AppendOutcome,
): CallStatus | { readonly position: string } {
  switch (outcome.kind) {
    case 'deleted':
      return streamDeleted(stream);
    case 'wrong-revision': {
      const actual = outcome.current ?? -1n;
      return wrongExpectedVersion(operation, stream, expectedNumber(expected), actual);
    }
    case 'appended':
    case 'idempotent':
      return { position: String(outcome.position) };
  }
}
