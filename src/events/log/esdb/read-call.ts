/**
 * One bounded read: collects what the server sends, and ends the call whatever happens. A call
 * that is left open holds one of the 100 that a connection has, for ever (faults.md C 42).
 */
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { UnavailableError } from '../errors.js';
import { classifyCall, messageOf } from './classify-error.js';
import type { LogClient } from './log-client.js';
import { recordedEvent, type RecordedEvent } from './recorded-event.js';

export interface ReadCallBounds {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

export interface CollectedRead {
  readonly events: readonly RecordedEvent[];
  /** It stopped at the bound in bytes; more was to come. */
  readonly cut: boolean;
}

/** Options that db-client passes on to the stream it makes: with them each message is taken as
 * it comes off the wire, markers in order with events (faults.md A6). */
export interface ReadTap {
  readonly objectMode: true;
  readonly transform: (message: ReadResp, encoding: unknown, next: () => void) => void;
}

/** The parts of db-client's streams that are used here. */
export interface OpenRead {
  on(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'end' | 'close', listener: () => void): unknown;
  resume(): unknown;
  cancel(): Promise<void>;
}

/**
 * @param open starts the call with this tap
 * @param what is read, for messages: `read the stream s`
 * @returns undefined when there is no such stream
 * @throws {UnavailableError}
 */
export function collectRead(
  client: LogClient,
  open: (tap: ReadTap) => OpenRead,
  what: string,
  { maxBytes, timeoutMs }: ReadCallBounds,
): Promise<CollectedRead | undefined> {
  return new Promise((resolve, reject) => {
    const events: RecordedEvent[] = [];
    let bytes = 0;
    let missing = false;
    let settled = false;

    const finish = (then: () => void): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      client.ended(call);
      then();
      // Also a call that is over: it costs nothing, and none is ever abandoned.
      reading.cancel().catch(() => undefined);
    };
    const fail = (error: unknown): void => {
      finish(() => {
        const failure = classifyCall(error, what);
        if (failure.kind === 'no_stream') resolve(undefined);
        else reject(readFailure(what, failure, error));
      });
    };
    const timer = setTimeout(() => {
      fail(new Error(`no answer within ${timeoutMs} ms`));
    }, timeoutMs);
    const call = {
      abandon: (reason: string): void => {
        fail(new Error(reason));
      },
    };
    client.opened(call);

    const transform = (message: ReadResp, _encoding: unknown, next: () => void): void => {
      try {
        if (message.hasStreamNotFound()) missing = true;
        const event = message.hasEvent() ? recordedEvent(message.getEvent()) : undefined;
        if (event && !settled) {
          events.push(event);
          bytes += event.bytes;
          if (bytes >= maxBytes) {
            finish(() => {
              resolve({ events, cut: true });
            });
          }
        }
      } catch (error) {
        fail(error);
      }
      next();
    };
    let reading: OpenRead;
    try {
      reading = open({ objectMode: true, transform });
    } catch (error) {
      settled = true;
      clearTimeout(timer);
      client.ended(call);
      reject(readFailure(what, classifyCall(error, what), error));
      return;
    }
    // At once: an error without a listener would end the process. It may be all that comes,
    // no close follows it (faults.md A9).
    reading.on('error', fail);
    reading.once('close', () => {
      fail(new Error('the call was closed'));
    });
    reading.once('end', () => {
      finish(() => {
        resolve(missing ? undefined : { events, cut: false });
      });
    });
    reading.resume();
  });
}

function readFailure(
  what: string,
  failure: ReturnType<typeof classifyCall>,
  cause: unknown,
): UnavailableError {
  const why = failure.kind === 'refused' ? failure.problem : messageOf(cause);
  return new UnavailableError('unreachable', `cannot ${what}: ${why}`, { cause });
}
