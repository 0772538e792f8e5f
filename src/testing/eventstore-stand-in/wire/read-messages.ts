/**
 * The messages of a read or a subscription, as bytes.
 */
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { StoredRecord } from '../store/record.js';
import { streamIdentifier, structuredUuid, uuidMessage } from './identifiers.js';

/** How a reader wants ids written. */
export type UuidForm = 'string' | 'structured';

export interface WirePosition {
  readonly commit: bigint;
  readonly prepare: bigint;
}

export function eventMessage(record: StoredRecord, form: UuidForm): Buffer {
  if (form === 'structured') return encodeEvent(record, structuredUuid(record.id));
  record.encoded ??= encodeEvent(record, uuidMessage(record.id));
  return record.encoded;
}

/** A resolved link to an event that is not there any more: the link alone. */
export function linkToNothingMessage(record: StoredRecord, form: UuidForm): Buffer {
  const id = form === 'structured' ? structuredUuid(record.id) : uuidMessage(record.id);
  const link = recordedEvent({ ...record, type: '$>' }, id);
  return bytesOf(
    new streams.ReadResp().setEvent(
      new streams.ReadResp.ReadEvent().setLink(link).setCommitPosition(String(record.position)),
    ),
  );
}

function encodeEvent(record: StoredRecord, id: shared.UUID): Buffer {
  return bytesOf(
    new streams.ReadResp().setEvent(
      new streams.ReadResp.ReadEvent()
        .setEvent(recordedEvent(record, id))
        .setCommitPosition(String(record.position)),
    ),
  );
}

function recordedEvent(
  record: StoredRecord,
  id: shared.UUID,
): streams.ReadResp.ReadEvent.RecordedEvent {
  const position = String(record.position);
  const event = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(id)
    .setStreamIdentifier(streamIdentifier(record.stream))
    .setStreamRevision(String(record.revision))
    .setCommitPosition(position)
    .setPreparePosition(position)
    .setData(record.data)
    .setCustomMetadata(record.metadata);
  event
    .getMetadataMap()
    .set('type', record.type)
    .set('content-type', record.contentType)
    .set('created', String(record.created));
  return event;
}

export function confirmationMessage(subscriptionId: string): Buffer {
  return bytesOf(
    new streams.ReadResp().setConfirmation(
      new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(subscriptionId),
    ),
  );
}

export function checkpointMessage({ commit, prepare }: WirePosition): Buffer {
  return bytesOf(
    new streams.ReadResp().setCheckpoint(
      new streams.ReadResp.Checkpoint()
        .setCommitPosition(String(commit))
        .setPreparePosition(String(prepare)),
    ),
  );
}

export const CAUGHT_UP: Buffer = bytesOf(
  new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp()),
);

export function streamNotFoundMessage(stream: string): Buffer {
  return bytesOf(
    new streams.ReadResp().setStreamNotFound(
      new streams.ReadResp.StreamNotFound().setStreamIdentifier(streamIdentifier(stream)),
    ),
  );
}

function bytesOf(message: streams.ReadResp): Buffer {
  return Buffer.from(message.serializeBinary());
}
