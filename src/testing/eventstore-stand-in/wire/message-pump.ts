/**
 * Writes messages to a streaming call as fast as its reader takes them, and waits when the
 * reader does not, when there is nothing to send, or when a switch makes the server slow.
 */
import type { ServerWritableStream } from '@grpc/grpc-js';
import type streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerContext } from '../server-context.js';
import type { CallStatus } from './statuses.js';

export type ReadCall = ServerWritableStream<streams.ReadReq, Buffer>;

/** A message to send; or nothing for now, or nothing any more, or so much looked at without a
 * match that other calls should have their turn. */
export type PumpStep = Buffer | 'idle' | 'end' | 'breathe';

export class MessagePump {
  readonly #context: ServerContext;
  readonly #call: ReadCall;
  readonly #next: () => PumpStep;
  #scheduled = false;
  #running = false;
  #blocked = false;
  #closed = false;

  constructor(context: ServerContext, call: ReadCall, next: () => PumpStep) {
    this.#context = context;
    this.#call = call;
    this.#next = next;
    call.on('drain', () => {
      this.#unblock();
    });
  }

  /** Sends what there is, soon: several wakes in one turn of the event loop are one. */
  wake(): void {
    if (this.#scheduled || this.#closed || this.#blocked) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#run();
    });
  }

  /** Sends at once what a new call waits for. */
  start(): void {
    this.#run();
  }

  /** Stops sending; what was written before still arrives. */
  close(): void {
    this.#closed = true;
  }

  endWith(status: CallStatus): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#call.emit('error', status);
  }

  endQuietly(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#call.end();
  }

  #run(): void {
    if (this.#running) return;
    this.#running = true;
    while (!this.#closed && !this.#blocked) {
      const step = this.#next();
      if (step === 'idle') break;
      if (step === 'breathe') {
        this.wake();
        break;
      }
      if (step === 'end') this.endQuietly();
      else this.#write(step);
    }
    this.#running = false;
  }

  #write(message: Buffer): void {
    const { slow } = this.#context.faults.switches;
    const delay = slow === false ? 0 : (slow.readMs ?? 0);
    if (!this.#call.write(message)) this.#blocked = true;
    else if (delay > 0) {
      this.#blocked = true;
      this.#context.later(delay, () => {
        this.#unblock();
      });
    }
  }

  #unblock(): void {
    this.#blocked = false;
    this.wake();
  }
}
