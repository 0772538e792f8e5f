/**
 * Streams.BatchAppend: one duplex call on which a client sends all its appends, each in one or
 * more messages, and gets an answer for each, told apart by correlation ids.
 */
import { status, type ServerDuplexStream } from '@grpc/grpc-js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type shared from '@eventstore/db-client/generated/shared_pb.js';
import type rpc from '@eventstore/db-client/generated/status_pb.js';
import type { OpenCall, ServerContext } from '../server-context.js';
import type { ProposedEvent } from '../store/record.js';
import { runAppend, type AppendVerdict } from './append-run.js';
import {
  batchAccessDenied,
  batchBadRequest,
  batchConflict,
  batchNotReady,
  batchStreamDeleted,
  batchSuccess,
  batchTimeout,
  batchTooLarge,
  batchUnknown,
} from './batch-replies.js';
import { expectedPosition } from './expected-revision.js';
import { streamName, uuidText } from './identifiers.js';
import { proposedEvent } from './proposed-event.js';
import { callFailure, type CallStatus } from './statuses.js';

/** The server waits no longer than this for the rest of an append. */
const WRITE_TIMEOUT_MS = 2_000;

type BatchCall = ServerDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>;

/** An append of which messages may still come. */
interface Assembly {
  readonly correlation: shared.UUID | undefined;
  readonly options: streams.BatchAppendReq.Options;
  readonly events: ProposedEvent[];
  readonly expires: number;
}

export function serveBatchAppend(context: ServerContext): (call: BatchCall) => void {
  return (call) => {
    new BatchStream(context, call).serve();
  };
}

class BatchStream implements OpenCall {
  readonly #context: ServerContext;
  readonly #call: BatchCall;
  readonly #assemblies = new Map<string, Assembly>();
  #ended = false;

  constructor(context: ServerContext, call: BatchCall) {
    this.#context = context;
    this.#call = call;
  }

  serve(): void {
    this.#context.batchStreams.add(this);
    this.#call.on('data', (request: streams.BatchAppendReq) => {
      this.#receive(request);
    });
    this.#call.on('end', () => {
      this.endQuietly();
    });
    this.#call.on('cancelled', () => {
      this.#ended = true;
      this.#context.batchStreams.delete(this);
    });
  }

  endWith(status: CallStatus): void {
    if (this.#end()) this.#call.emit('error', status);
  }

  endQuietly(): void {
    if (this.#end()) this.#call.end();
  }

  #end(): boolean {
    const first = !this.#ended;
    this.#ended = true;
    this.#context.batchStreams.delete(this);
    return first;
  }

  #receive(request: streams.BatchAppendReq): void {
    if (this.#ended) return;
    const id = uuidText(request.getCorrelationId());
    const options = request.getOptions();
    if (options !== undefined) {
      const correlation = request.getCorrelationId();
      this.#assemblies.set(id, {
        correlation,
        options,
        events: [],
        expires: this.#expiry(options),
      });
    }
    const assembly = this.#assemblies.get(id);
    // The rest of an append that was answered already.
    if (assembly === undefined) return;
    if (this.#now() >= assembly.expires) {
      this.#assemblies.delete(id);
      this.#refuse(assembly, batchTimeout());
      return;
    }
    for (const message of request.getProposedMessagesList()) {
      assembly.events.push(proposedEvent(message));
    }
    if (!request.getIsFinal()) return;
    this.#assemblies.delete(id);
    this.#append(assembly);
  }

  /** The deadline on the wire is a time, so a client whose clock is behind has none left. */
  #expiry(options: streams.BatchAppendReq.Options): number {
    const latest = this.#now() + WRITE_TIMEOUT_MS;
    const deadline = options.getDeadline();
    if (deadline === undefined) return latest;
    return Math.min(latest, deadline.getSeconds() * 1000 + deadline.getNanos() / 1e6);
  }

  #now(): number {
    return this.#context.now() + this.#context.faults.switches.clockAheadMs;
  }

  #append(assembly: Assembly): void {
    const stream = streamName(assembly.options.getStreamIdentifier());
    if (stream === undefined) {
      this.#refuse(assembly, batchBadRequest("Required field 'stream_identifier' not set."));
      return;
    }
    const { notReady, deny } = this.#context.faults.switches;
    if (deny === 'everything') {
      this.#refuse(assembly, batchAccessDenied());
      return;
    }
    if (notReady !== false) {
      this.#refuse(assembly, batchNotReady());
      return;
    }
    const refusal = this.#context.refusal('append', this.#call.metadata);
    if (refusal !== undefined) {
      this.endWith(refusal);
      return;
    }
    const denial = this.#context.denial(this.#call.metadata, 'write', stream);
    if (denial !== undefined) {
      // A right is looked at for each append, a password for the call.
      if (denial.code === status.PERMISSION_DENIED) this.#refuse(assembly, batchAccessDenied());
      else this.endWith(denial);
      return;
    }
    const expected = expectedPosition(assembly.options);
    runAppend(this.#context, { stream, expected, events: assembly.events }, (verdict) => {
      this.#tell(assembly, stream, verdict);
    });
  }

  #tell(assembly: Assembly, stream: string, verdict: AppendVerdict): void {
    switch (verdict.kind) {
      case 'appended':
      case 'idempotent':
        this.#answer(assembly, (reply) => reply.setSuccess(batchSuccess(verdict)));
        return;
      case 'wrong-revision':
        this.#refuse(assembly, batchConflict(expectedPosition(assembly.options), verdict.current));
        return;
      case 'deleted':
        this.#refuse(assembly, batchStreamDeleted(stream));
        return;
      case 'too-large':
        this.#refuse(assembly, batchTooLarge(this.#context.maxAppendSize));
        return;
      case 'failed':
        this.#fail(assembly, verdict.how);
    }
  }

  #fail(assembly: Assembly, how: Extract<AppendVerdict, { kind: 'failed' }>['how']): void {
    switch (how) {
      case 'timeout-reply':
        this.#refuse(assembly, batchTimeout());
        return;
      case 'unknown-reply':
        this.#refuse(assembly, batchUnknown());
        return;
      case 'end-ok':
        this.endQuietly();
        return;
      case 'silence':
      case 'reset':
        return;
      default:
        this.endWith(callFailure(how));
    }
  }

  #refuse(assembly: Assembly, error: rpc.Status): void {
    this.#answer(assembly, (reply) => reply.setError(error));
  }

  #answer(assembly: Assembly, fill: (reply: streams.BatchAppendResp) => unknown): void {
    if (this.#ended) return;
    const reply = new streams.BatchAppendResp()
      .setCorrelationId(assembly.correlation)
      .setStreamIdentifier(assembly.options.getStreamIdentifier());
    fill(reply);
    this.#call.write(reply);
  }
}
