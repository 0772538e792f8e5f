/**
 * An event as a request proposes it: batch and classic appends use the same shape.
 */
import type jspb from 'google-protobuf';
import type shared from '@eventstore/db-client/generated/shared_pb.js';
import type { ProposedEvent } from '../store/record.js';
import { uuidText } from './identifiers.js';

interface ProposedMessage {
  getId(): shared.UUID | undefined;
  getMetadataMap(): jspb.Map<string, string>;
  getCustomMetadata_asU8(): Uint8Array;
  getData_asU8(): Uint8Array;
}

export function proposedEvent(message: ProposedMessage): ProposedEvent {
  const properties = message.getMetadataMap();
  return {
    id: uuidText(message.getId()),
    type: properties.get('type') ?? '',
    contentType: properties.get('content-type') ?? 'application/octet-stream',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}
