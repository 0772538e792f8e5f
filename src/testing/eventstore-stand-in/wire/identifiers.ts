/**
 * Stream names and UUIDs, between the messages of the wire and plain values.
 */
import { randomUUID } from 'node:crypto';
import shared from '@eventstore/db-client/generated/shared_pb.js';

/** Undefined where the identifier is absent or empty: the server refuses both. */
export function streamName(identifier: shared.StreamIdentifier | undefined): string | undefined {
  const name = Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8');
  return name === '' ? undefined : name;
}

export function streamIdentifier(stream: string): shared.StreamIdentifier {
  return new shared.StreamIdentifier().setStreamName(Buffer.from(stream));
}

export function uuidText(uuid: shared.UUID | undefined): string {
  if (uuid?.hasString() === true) return uuid.getString();
  const structured = uuid?.getStructured();
  if (structured === undefined) return randomUUID();
  const hex = (bits: string) => BigInt.asUintN(64, BigInt(bits)).toString(16).padStart(16, '0');
  const digits =
    hex(structured.getMostSignificantBits()) + hex(structured.getLeastSignificantBits());
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export function uuidMessage(text: string): shared.UUID {
  return new shared.UUID().setString(text);
}

/** UUIDs of two 64-bit halves, for a reader that asked for them. */
export function structuredUuid(text: string): shared.UUID {
  const digits = text.replaceAll('-', '');
  const signed = (hex: string) => String(BigInt.asIntN(64, BigInt(`0x${hex}`)));
  return new shared.UUID().setStructured(
    new shared.UUID.Structured()
      .setMostSignificantBits(signed(digits.slice(0, 16)))
      .setLeastSignificantBits(signed(digits.slice(16))),
  );
}
