/**
 * One append, from what the caller gave to a result or one of the port's errors. The client
 * sees only what was checked and serialised before.
 */
import { jsonEvent, NO_STREAM } from '@eventstore/db-client';
import type { Credentials } from '@eventstore/db-client';
import { isJsonObject } from './json-object.js';
import type { EncodedEvent } from '../encode-events.js';
import {
  ConflictError,
  EventLogError,
  OutcomeUnknownError,
  TooLargeError,
  UnavailableError,
} from '../errors.js';
import type { AppendResult, ExpectedRevision } from '../event-log.js';
import type { Position } from '../position.js';
import type { AppendLane } from './append-lane.js';
import { classifyAppend, messageOf, type AppendPath } from './classify-error.js';
import type { ClockWatch } from './clock-watch.js';
import type { LogClient } from './log-client.js';

export interface AppendRequest {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly EncodedEvent[];
}

export interface AppendTools {
  readonly lane: AppendLane;
  readonly clock: ClockWatch;
  readonly timeoutMs: number;
  /** What makes the client take the classic path; undefined where it cannot. */
  readonly perCall: Credentials | undefined;
  /** These very events, if they are what lies right after the expected revision. */
  storedAlready(request: AppendRequest): Promise<Position | undefined>;
  /** Where the event of this revision lies, or a later position. */
  positionOf(stream: string, revision: bigint): Promise<Position>;
  suspect(client: LogClient, reason: string): void;
  outcome(error: EventLogError | undefined): void;
}

interface Sent {
  readonly revision: bigint;
  readonly position: Position | undefined;
}

/** Waits between two tries while a server is not ready, in milliseconds. */
const NOT_READY_MS = 100;
/** For how much of the time an append has. */
const NOT_READY_SHARE = 0.3;

/** @throws {ConflictError} | {TooLargeError} | {UnavailableError} | {OutcomeUnknownError} */
export async function appendEvents(
  request: AppendRequest,
  tools: AppendTools,
): Promise<AppendResult> {
  const { lane } = tools;
  const bytes = request.events.reduce((sum, event) => sum + event.bytes, request.stream.length);
  try {
    const result = await lane.accept(bytes, () => untilSettled(request, tools));
    tools.outcome(undefined);
    return result;
  } catch (error) {
    if (error instanceof EventLogError) tools.outcome(error);
    throw error;
  }
}

async function untilSettled(request: AppendRequest, tools: AppendTools): Promise<AppendResult> {
  const { stream, expected, events } = request;
  const start = performance.now();
  const deadline = start + tools.timeoutMs;
  const revision = (expected === 'no_stream' ? -1n : expected) + BigInt(events.length);
  for (;;) {
    const path: AppendPath = tools.perCall && tools.clock.isBehind ? 'classic' : 'batch';
    const sentAt = performance.now();
    let client: LogClient | undefined;
    try {
      const sent = await tools.lane.send({
        stream,
        deadline,
        ownCall: path === 'classic',
        send: (current) => {
          client = current;
          return send(current, request, path === 'classic' ? tools.perCall : undefined, tools);
        },
      });
      // For the first part of what was stored a server may tell of the whole.
      const position = sent.revision === revision ? sent.position : undefined;
      return { revision, position: position ?? (await positionOf(request, revision, tools)) };
    } catch (error) {
      if (error instanceof EventLogError) throw error;
      const failure = classifyAppend(error, path, performance.now() - sentAt, tools.timeoutMs);
      switch (failure.kind) {
        case 'conflict': {
          const position = await storedAlready(request, failure.actual, tools);
          if (position === undefined) throw new ConflictError(stream, failure.actual);
          return { revision, position };
        }
        case 'too_large':
          throw new TooLargeError(
            events.reduce((sum, event) => sum + event.bytes, 0),
            failure.limit,
          );
        case 'clock_behind':
          tools.clock.behind();
          if (tools.perCall) continue;
          throw unavailable(stream, CLOCK, error);
        case 'not_ready':
          if (performance.now() - start < tools.timeoutMs * NOT_READY_SHARE) {
            await new Promise((resolve) => setTimeout(resolve, NOT_READY_MS));
            continue;
          }
          throw unavailable(stream, 'the server is not ready', error);
        case 'refused':
          throw unavailable(stream, failure.problem, error);
        case 'unreachable':
          throw unavailable(stream, messageOf(error), error);
        case 'unknown':
          if (failure.suspect && client) tools.suspect(client, messageOf(error));
          throw new OutcomeUnknownError(
            `the append to ${stream} may be stored or not: ${messageOf(error)}`,
            { cause: error },
          );
      }
    }
  }
}

const CLOCK =
  'the server saw the deadline as over at once: the clock of this machine is behind its clock';

function unavailable(stream: string, why: string, cause: unknown): UnavailableError {
  return new UnavailableError(
    'unreachable',
    `cannot append to ${stream}: ${why}; nothing was stored`,
    { cause },
  );
}

/** With credentials of its own a call takes the classic path (eventstoredb.md 1.1). */
async function send(
  client: LogClient,
  { stream, expected, events }: AppendRequest,
  credentials: Credentials | undefined,
  { timeoutMs }: AppendTools,
): Promise<Sent> {
  const { nextExpectedRevision, position } = await client.appendToStream(
    stream,
    events.map((event) =>
      jsonEvent({
        id: event.id,
        type: event.type,
        // Parsed from what was checked: the client serialises it to the very same bytes, and a
        // caller that changes its object meanwhile changes nothing.
        data: parsed(event.data),
        metadata: Uint8Array.from(Buffer.from(event.metadata)),
      }),
    ),
    {
      expectedRevision: expected === 'no_stream' ? NO_STREAM : expected,
      requiresLeader: true,
      deadline: timeoutMs,
      ...(credentials ? { credentials } : {}),
    },
  );
  return { revision: nextExpectedRevision, position };
}

function parsed(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new TypeError('the encoded data of an event is not an object');
  return value;
}

/** The append is done; where it lies could not be read back. */
async function positionOf(
  { stream }: AppendRequest,
  revision: bigint,
  tools: AppendTools,
): Promise<Position> {
  try {
    return await tools.positionOf(stream, revision);
  } catch (error) {
    throw new OutcomeUnknownError(
      `the append to ${stream} is stored, but its position could not be read`,
      { cause: error },
    );
  }
}

/**
 * A server knows a repeated append by its ids only while it can (eventstoredb.md 1.5; 3, row 42).
 * What lies after the expected revision decides.
 */
async function storedAlready(
  request: AppendRequest,
  actual: bigint | null,
  tools: AppendTools,
): Promise<Position | undefined> {
  const before = request.expected === 'no_stream' ? -1n : request.expected;
  if (actual === null || actual < before + BigInt(request.events.length)) return undefined;
  try {
    return await tools.storedAlready(request);
  } catch (error) {
    throw new OutcomeUnknownError(
      `the stream ${request.stream} has moved on, and what lies there could not be read`,
      { cause: error },
    );
  }
}
