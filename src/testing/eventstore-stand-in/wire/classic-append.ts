/**
 * Streams.Append: one call for each append, its options in the first message and an event in
 * each of the others. A conflict is an answer, everything else an error of the call.
 */
import { status, type sendUnaryData, type ServerReadableStream } from '@grpc/grpc-js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerContext } from '../server-context.js';
import type { ExpectedRevision } from '../store/append-decision.js';
import type { ProposedEvent } from '../store/record.js';
import { runAppend, type AppendVerdict } from './append-run.js';
import { expectedRevision } from './expected-revision.js';
import { streamName } from './identifiers.js';
import { proposedEvent } from './proposed-event.js';
import {
  appendTooLarge,
  callFailure,
  invalidArgument,
  streamDeleted,
  type CallStatus,
} from './statuses.js';

type AppendCall = ServerReadableStream<streams.AppendReq, streams.AppendResp>;
type Respond = sendUnaryData<streams.AppendResp>;
type Verdict<Kind extends AppendVerdict['kind']> = Extract<AppendVerdict, { kind: Kind }>;

export function serveAppend(context: ServerContext): (call: AppendCall, respond: Respond) => void {
  return (call, respond) => {
    const events: ProposedEvent[] = [];
    let options: streams.AppendReq.Options | undefined;
    call.on('data', (request: streams.AppendReq) => {
      options ??= request.getOptions();
      const message = request.getProposedMessage();
      if (message !== undefined) events.push(proposedEvent(message));
    });
    call.on('end', () => {
      if (call.cancelled) return;
      const stream = streamName(options?.getStreamIdentifier());
      const refusal =
        context.refusal('append', call.metadata) ??
        context.denial(call.metadata, 'write', stream ?? '');
      if (refusal !== undefined) respond(refusal);
      else if (options === undefined || stream === undefined) {
        respond(invalidArgument("Required field 'stream_identifier' not set."));
      } else {
        const expected = expectedRevision(options);
        runAppend(context, { stream, expected, events }, (verdict) => {
          tell(context, stream, expected, verdict, respond);
        });
      }
    });
  };
}

function tell(
  context: ServerContext,
  stream: string,
  expected: ExpectedRevision,
  verdict: AppendVerdict,
  respond: Respond,
): void {
  switch (verdict.kind) {
    case 'appended':
    case 'idempotent':
      respond(null, success(verdict));
      return;
    case 'wrong-revision':
      respond(null, conflict(expected, verdict));
      return;
    case 'deleted':
      respond(streamDeleted(stream));
      return;
    case 'too-large':
      respond(appendTooLarge(context.maxAppendSize));
      return;
    case 'failed':
      respond(failed(verdict));
  }
}

function success({ revision, position }: Verdict<'appended' | 'idempotent'>): streams.AppendResp {
  const at = new streams.AppendResp.Position()
    .setCommitPosition(String(position))
    .setPreparePosition(String(position));
  const stored = new streams.AppendResp.Success().setPosition(at);
  return new streams.AppendResp().setSuccess(
    revision === undefined
      ? stored.setNoStream(new shared.Empty())
      : stored.setCurrentRevision(String(revision)),
  );
}

function conflict(
  expected: ExpectedRevision,
  { current }: Verdict<'wrong-revision'>,
): streams.AppendResp {
  const detail = new streams.AppendResp.WrongExpectedVersion();
  if (current === undefined) detail.setCurrentNoStream(new shared.Empty());
  else detail.setCurrentRevision(String(current));
  if (expected === 'any') detail.setExpectedAny(new shared.Empty());
  else if (expected === 'no_stream') detail.setExpectedNoStream(new shared.Empty());
  else if (expected === 'stream_exists') detail.setExpectedStreamExists(new shared.Empty());
  else detail.setExpectedRevision(String(expected));
  return new streams.AppendResp().setWrongExpectedVersion(detail);
}

/** A classic append has no reply in which to fail, nor a stream that could end by itself. */
function failed({ how }: Verdict<'failed'>): CallStatus {
  switch (how) {
    case 'timeout-reply':
      return callFailure('aborted');
    case 'unknown-reply':
      return callFailure('handler-exception');
    case 'end-ok':
    case 'silence':
    case 'reset':
      return { code: status.CANCELLED, details: 'No response message.' };
    default:
      return callFailure(how);
  }
}
