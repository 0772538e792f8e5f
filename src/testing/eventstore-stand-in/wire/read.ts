/**
 * Streams.Read: reads of one stream and of `$all`, and subscriptions to them. All four are one
 * call, told apart by its options.
 */
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerContext } from '../server-context.js';
import type { StoredRecord } from '../store/record.js';
import { eventFilter, type EventFilter } from './event-filter.js';
import { streamName } from './identifiers.js';
import { MessagePump, type PumpStep, type ReadCall } from './message-pump.js';
import {
  eventMessage,
  streamNotFoundMessage,
  type UuidForm,
  type WirePosition,
} from './read-messages.js';
import { readBackwards, readForwards } from './read-ranges.js';
import { callFailure, invalidArgument, streamDeleted } from './statuses.js';
import { Subscription } from './subscription.js';
import { AllSource, StreamSource } from './subscription-sources.js';

type Options = streams.ReadReq.Options;

export function serveRead(context: ServerContext): (call: ReadCall) => void {
  return (call) => {
    const options = call.request.getOptions();
    const subscribes = options?.hasSubscription() === true;
    const refusal = context.refusal(subscribes ? 'subscribe' : 'read', call.metadata);
    const uuids = uuidForm(options);
    if (refusal !== undefined) call.emit('error', refusal);
    else if (options === undefined || uuids === undefined) {
      call.emit('error', invalidArgument('The UUID option is required.'));
    } else if (options.hasStream()) serveStream(context, call, options, uuids);
    else serveAll(context, call, options, uuids);
  };
}

function uuidForm(options: Options | undefined): UuidForm | undefined {
  const wanted = options?.getUuidOption();
  if (wanted?.hasString() === true) return 'string';
  return wanted?.hasStructured() === true ? 'structured' : undefined;
}

function serveStream(
  context: ServerContext,
  call: ReadCall,
  options: Options,
  uuids: UuidForm,
): void {
  const wanted = options.getStream();
  const stream = streamName(wanted?.getStreamIdentifier());
  if (wanted === undefined || stream === undefined) {
    call.emit('error', invalidArgument("Required field 'stream_identifier' not set."));
    return;
  }
  const denial = context.denial(call.metadata, 'read', stream);
  if (denial !== undefined) {
    call.emit('error', denial);
    return;
  }
  const { store } = context;
  const revision = wanted.hasRevision() ? BigInt(wanted.getRevision()) : undefined;
  if (store.isTombstoned(stream)) {
    call.emit('error', streamDeleted(stream));
    return;
  }
  if (options.hasSubscription()) {
    const from = revision ?? (wanted.hasEnd() ? 'end' : 'start');
    new Subscription(context, call, new StreamSource(store, stream, from), uuids);
    return;
  }
  const view = store.view(stream);
  if (view === undefined) {
    send(context, call, [streamNotFoundMessage(stream)].values());
    return;
  }
  const { log, firstVisible } = view;
  const last = log.nextRevision - 1n;
  const count = BigInt(options.getCount());
  if (options.getReadDirection() === streams.ReadReq.Options.ReadDirection.FORWARDS) {
    const from = revision ?? (wanted.hasEnd() ? last + 1n : 0n);
    const first = from > firstVisible ? from : firstVisible;
    send(context, call, messages(readForwards(log, first, last, count), uuids));
  } else {
    const from = revision ?? (wanted.hasEnd() ? last : 0n);
    const first = from < last ? from : last;
    send(context, call, messages(readBackwards(log, first, firstVisible, count), uuids));
  }
}

function serveAll(context: ServerContext, call: ReadCall, options: Options, uuids: UuidForm): void {
  const denial =
    context.faults.switches.deny === 'all-stream'
      ? callFailure('access-denied')
      : context.denial(call.metadata, 'read', '$all');
  if (denial !== undefined) {
    call.emit('error', denial);
    return;
  }
  const from = allPosition(options);
  const filterOptions = options.getFilter();
  const filter = filterOptions === undefined ? undefined : eventFilter(filterOptions);
  if (from === undefined) {
    call.emit('error', invalidArgument('Trying to read from an invalid position.'));
  } else if (filter !== undefined && 'invalid' in filter) {
    call.emit('error', invalidArgument(filter.invalid));
  } else if (options.hasSubscription()) {
    new Subscription(context, call, new AllSource(context.store, from, filter), uuids);
  } else {
    send(context, call, messages(allRecords(context, options, from, filter), uuids));
  }
}

/** Undefined for a position that no log can have. */
function allPosition(options: Options): WirePosition | 'start' | 'end' | undefined {
  const all = options.getAll();
  const position = all?.getPosition();
  if (position === undefined) return all?.hasEnd() === true ? 'end' : 'start';
  const commit = BigInt(position.getCommitPosition());
  const prepare = BigInt(position.getPreparePosition());
  return commit < prepare ? undefined : { commit, prepare };
}

/** Forwards from a position is inclusive, backwards is not. */
function* allRecords(
  { store }: ServerContext,
  options: Options,
  from: WirePosition | 'start' | 'end',
  filter: EventFilter | undefined,
): Generator<StoredRecord, void, undefined> {
  const forwards = options.getReadDirection() === streams.ReadReq.Options.ReadDirection.FORWARDS;
  const end = store.all.length;
  const border = from === 'start' ? 0 : from === 'end' ? end : store.indexOf(from.commit);
  let left = BigInt(options.getCount());
  let index = forwards ? border : border - 1;
  while (left > 0n && index >= 0 && index < end) {
    const record = store.all[index];
    if (record !== undefined && (filter === undefined || filter.matches(record))) {
      left -= 1n;
      yield record;
    }
    index += forwards ? 1 : -1;
  }
}

function* messages(
  records: Iterable<StoredRecord>,
  uuids: UuidForm,
): Generator<Buffer, void, undefined> {
  for (const record of records) yield eventMessage(record, uuids);
}

function send(context: ServerContext, call: ReadCall, source: Iterator<Buffer, unknown>): void {
  const next = (): PumpStep => {
    const { done, value } = source.next();
    return done === true ? 'end' : value;
  };
  const pump = new MessagePump(context, call, next);
  call.on('cancelled', () => {
    pump.close();
  });
  pump.start();
}
