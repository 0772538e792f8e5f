/**
 * The way of every append to the client: in order, bounded, answered in time whatever the
 * client does, and held while a client is replaced.
 */
import { OutcomeUnknownError, UnavailableError } from '../errors.js';
import type { LogClient } from './log-client.js';

export interface LaneLimits {
  readonly appendTimeoutMs: number;
  readonly maxPendingAppends: number;
  readonly maxPendingBytes: number;
}

/** One sending of an append. */
export interface Sending<T> {
  readonly stream: string;
  readonly deadline: number;
  /** Calls that each are an own stream of the connection, which has 100 (see MOST_CALLS). */
  readonly ownCall: boolean;
  send(client: LogClient): Promise<T>;
}

interface Pending {
  readonly stream: string;
  readonly deadline: number;
  readonly ownCall: boolean;
  /** Hands it to the client; never throws. */
  start(client: LogClient): void;
  reject(error: Error): void;
}

/** Appends on the classic path that may be open at once. */
const MOST_CALLS = 32;
/** When the client takes nothing, how long until it is asked again, in milliseconds. */
const STALLED_MS = 2;

export class AppendLane {
  readonly #limits: LaneLimits;
  readonly #onTimeout: (client: LogClient) => void;
  readonly #waiting: Pending[] = [];
  readonly #sent = new Set<Pending>();
  #accepted = 0;
  #bytes = 0;
  #calls = 0;
  /** To the shared stream, in this turn of the event loop. */
  #handed = 0;
  #client: LogClient | undefined;
  #closed: UnavailableError | undefined;
  /** Also what was accepted is not sent any more. */
  #ended: UnavailableError | undefined;
  #pumping = false;
  #idle: (() => void)[] = [];

  /** @param onTimeout an append was not answered: the client may be broken (faults.md A2, A3) */
  constructor(limits: LaneLimits, onTimeout: (client: LogClient) => void) {
    this.#limits = limits;
    this.#onTimeout = onTimeout;
  }

  get pending(): number {
    return this.#accepted;
  }

  /**
   * Accepts an append for as long as `run` takes.
   *
   * @throws {UnavailableError} `overloaded`, or the log is closed
   */
  async accept<T>(bytes: number, run: () => Promise<T>): Promise<T> {
    if (this.#closed) throw this.#closed;
    const { maxPendingAppends, maxPendingBytes } = this.#limits;
    const tooMuch = this.#accepted > 0 && this.#bytes + bytes > maxPendingBytes;
    if (this.#accepted >= maxPendingAppends || tooMuch) {
      throw new UnavailableError(
        'overloaded',
        `the log has ${this.#accepted} appends (${this.#bytes} bytes) under way; try again later`,
      );
    }
    this.#accepted += 1;
    this.#bytes += bytes;
    try {
      return await run();
    } finally {
      this.#accepted -= 1;
      this.#bytes -= bytes;
      if (this.#accepted === 0) for (const idle of this.#idle.splice(0)) idle();
    }
  }

  /**
   * Sends once.
   *
   * @throws {UnavailableError} it was not sent in time
   * @throws {OutcomeUnknownError} it was sent and is not answered
   * @throws whatever the client rejects with
   */
  send<T>(sending: Sending<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      let client: LogClient | undefined;
      const { stream, deadline, ownCall } = sending;
      const finish = (then: () => void): void => {
        clearTimeout(timer);
        if (this.#sent.delete(pending) && ownCall) this.#calls -= 1;
        then();
        this.#pump();
      };
      const pending: Pending = {
        stream,
        deadline,
        ownCall,
        start: (current) => {
          client = current;
          sending.send(current).then(
            (value) => {
              finish(() => {
                resolve(value);
              });
            },
            (error: unknown) => {
              finish(() => {
                reject(asError(error));
              });
            },
          );
        },
        reject: (error) => {
          finish(() => {
            reject(error);
          });
        },
      };
      const timer = setTimeout(
        () => {
          const late = client;
          if (late === undefined) {
            const at = this.#waiting.indexOf(pending);
            if (at >= 0) this.#waiting.splice(at, 1);
            pending.reject(notSent(stream));
          } else {
            pending.reject(unanswered(stream));
            this.#onTimeout(late);
          }
        },
        Math.max(0, deadline - performance.now()),
      );
      if (this.#ended) {
        pending.reject(this.#ended);
        return;
      }
      this.#waiting.push(pending);
      this.#pump();
    });
  }

  /** From now on appends wait. */
  hold(): void {
    this.#client = undefined;
  }

  /** Those who wait go to this client, in their order. */
  resume(client: LogClient): void {
    this.#client = client;
    this.#pump();
  }

  /** Nobody will answer the appends that were sent: their outcome is unknown. */
  settleSent(reason: string): void {
    for (const pending of [...this.#sent]) {
      pending.reject(
        new OutcomeUnknownError(
          `the append to ${pending.stream} was under way when ${reason}; it may be stored or not`,
        ),
      );
    }
  }

  /** Accepts nothing more, and waits until what was accepted is settled, or the time is over. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = new UnavailableError('closed', 'the log is closed');
    if (this.#accepted > 0) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#idle.push(resolve);
        timer = setTimeout(resolve, this.#limits.appendTimeoutMs);
      });
      clearTimeout(timer);
    }
    this.hold();
    this.#ended = this.#closed;
    for (const pending of this.#waiting.splice(0)) pending.reject(this.#closed);
    this.settleSent('the log was closed');
  }

  readonly #pump = (): void => {
    const client = this.#client;
    if (client === undefined) return;
    let pending = this.#waiting[0];
    while (pending !== undefined && this.#hasRoom(client, pending)) {
      this.#waiting.shift();
      this.#sent.add(pending);
      if (pending.ownCall) this.#calls += 1;
      else this.#handedOver();
      pending.start(client);
      pending = this.#waiting[0];
    }
    if (pending === undefined || this.#pumping || this.#handed > 0) return;
    this.#pumping = true;
    setTimeout(() => {
      this.#pumping = false;
      this.#pump();
    }, STALLED_MS);
  };

  #hasRoom(client: LogClient, { ownCall }: Pending): boolean {
    if (ownCall) return this.#calls < MOST_CALLS;
    return client.appendRoom(this.#sent.size) > this.#handed;
  }

  /** What is handed over is written when this turn of the event loop ends, not earlier. */
  #handedOver(): void {
    if (this.#handed === 0) {
      setImmediate(() => {
        this.#handed = 0;
        this.#pump();
      });
    }
    this.#handed += 1;
  }
}

function notSent(stream: string): UnavailableError {
  return new UnavailableError(
    'unreachable',
    `the append to ${stream} could not be sent in time; nothing was stored`,
  );
}

function unanswered(stream: string): OutcomeUnknownError {
  return new OutcomeUnknownError(
    `the append to ${stream} was not answered in time; it may be stored now or later`,
  );
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error), { cause: error });
}
