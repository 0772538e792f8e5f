/**
 * One filtered subscription to the whole log. Events and markers are kept in the order of the
 * wire (db-client's own callbacks overtake events that wait, faults.md A6), up to a bound; at
 * the bound the server is made to wait.
 */
import { START, streamNameFilter } from '@eventstore/db-client';
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { UnavailableError } from '../errors.js';
import type { StoredEvent } from '../event-log.js';
import { comparePositions, LOG_START, type Position } from '../position.js';
import { checkpointPosition } from './checkpoint-position.js';
import { classifyCall, messageOf } from './classify-error.js';
import type { LogClient } from './log-client.js';
import { LOG_IDENTITY_STREAM } from './log-identity.js';
import type { ReadTap } from './read-call.js';
import { recordedEvent } from './recorded-event.js';

export type LogItem =
  | { readonly kind: 'event'; readonly event: StoredEvent }
  | { readonly kind: 'checkpoint'; readonly position: Position }
  | { readonly kind: 'caught_up' };

export interface SubscriptionOptions {
  readonly prefix: string;
  /** Exclusive. */
  readonly after: Position;
  /** What may wait here before the server has to. */
  readonly maxEvents: number;
  readonly maxBytes: number;
  /** Something came, or it is over. */
  onChange(): void;
  onConfirmed(): void;
  /** An event that is gone: a link to nothing (eventstoredb.md 3, row 43). */
  onAbsent(): void;
}

export class AllSubscription {
  readonly #client: LogClient;
  readonly #options: SubscriptionOptions;
  readonly #reading: { unsubscribe(): Promise<void> } | undefined;
  readonly #call = {
    abandon: (reason: string): void => {
      this.#fail(new Error(reason));
    },
  };
  #items: LogItem[] = [];
  #taken = 0;
  #events = 0;
  #bytes = 0;
  #last: Position;
  /** Lets the next message in. */
  #held: (() => void) | undefined;
  #failure: UnavailableError | undefined;
  #over = false;

  constructor(client: LogClient, options: SubscriptionOptions) {
    this.#client = client;
    this.#options = options;
    this.#last = options.after;
    client.opened(this.#call);
    try {
      const { after, prefix } = options;
      const tap: ReadTap = { objectMode: true, transform: this.#take };
      const reading = client.subscribeToAll(
        {
          fromPosition:
            comparePositions(after, LOG_START) === 0
              ? START
              : { commit: after.commit, prepare: after.prepare },
          requiresLeader: true,
          // A prefix must match something; system streams are nobody's.
          filter:
            prefix === ''
              ? streamNameFilter({ regex: '^[^$]' })
              : streamNameFilter({ prefixes: [prefix] }),
        },
        tap,
      );
      this.#reading = reading;
      reading.on('error', (error: unknown) => {
        this.#fail(error);
      });
      // The server ended it without a word (faults.md A8).
      reading.once('end', () => {
        this.#fail(new Error('the server ended the subscription without an error'));
      });
      reading.once('close', () => {
        this.#fail(new Error('the subscription was closed'));
      });
      reading.resume();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Why nothing more will come, once what waits is taken. */
  get failure(): UnavailableError | undefined {
    return this.#failure;
  }

  /** The next item, left where it is. */
  peek(): LogItem | undefined {
    return this.#items[this.#taken];
  }

  /** Removes the item that `peek` shows. */
  shift(): void {
    const item = this.#items[this.#taken];
    if (item === undefined) return;
    this.#taken += 1;
    if (item.kind === 'event') {
      this.#events -= 1;
      this.#bytes -= item.event.bytes;
    }
    if (this.#taken === this.#items.length) {
      this.#items = [];
      this.#taken = 0;
    }
    const held = this.#held;
    if (held && !this.#isFull()) {
      this.#held = undefined;
      held();
    }
  }

  /** Ends the call. Never abandons it: an open one is kept by the connection for ever. */
  cancel(): void {
    this.#over = true;
    this.#end();
  }

  #fail(error: unknown): void {
    if (this.#over) return;
    this.#over = true;
    const failure = classifyCall(error, 'subscribe to $all');
    const why = failure.kind === 'refused' ? failure.problem : messageOf(error);
    this.#failure = new UnavailableError('unreachable', `the subscription is over: ${why}`, {
      cause: error,
    });
    this.#end();
    this.#options.onChange();
  }

  #end(): void {
    this.#client.ended(this.#call);
    this.#reading?.unsubscribe().catch(() => undefined);
    const held = this.#held;
    this.#held = undefined;
    held?.();
  }

  readonly #take = (message: ReadResp, _encoding: unknown, next: () => void): void => {
    try {
      // A throw in here would silence the subscription for ever (faults.md A7).
      if (!this.#over) this.#receive(message);
    } catch (error) {
      this.#fail(error);
    }
    if (this.#isFull() && !this.#over) this.#held = next;
    else next();
  };

  #receive(message: ReadResp): void {
    if (message.hasEvent()) {
      const event = recordedEvent(message.getEvent());
      if (event === undefined) this.#options.onAbsent();
      else this.#event(event);
    } else if (message.hasCheckpoint()) {
      const checkpoint = message.getCheckpoint();
      if (checkpoint) {
        this.#checkpoint({
          commit: BigInt(checkpoint.getCommitPosition()),
          prepare: BigInt(checkpoint.getPreparePosition()),
        });
      }
    } else if (message.hasCaughtUp()) {
      this.#push({ kind: 'caught_up' });
    } else if (message.hasConfirmation()) {
      this.#options.onConfirmed();
    }
  }

  #event(event: StoredEvent): void {
    const { position, stream } = event;
    // Delivered a second time: it was seen.
    if (comparePositions(position, this.#last) <= 0) return;
    this.#last = position;
    if (stream.startsWith('$') || stream === LOG_IDENTITY_STREAM) {
      this.#push({ kind: 'checkpoint', position });
      return;
    }
    this.#events += 1;
    this.#bytes += event.bytes;
    this.#push({ kind: 'event', event });
  }

  #checkpoint(raw: Position): void {
    const position = checkpointPosition(raw);
    // It never goes back, whatever the server says (faults.md C 2).
    if (position === undefined || comparePositions(position, this.#last) <= 0) return;
    this.#last = position;
    this.#push({ kind: 'checkpoint', position });
  }

  #push(item: LogItem): void {
    const last = this.#items.length - 1;
    // Checkpoints that nobody fetched yet are one.
    if (item.kind === 'checkpoint' && last >= this.#taken && this.#items[last]?.kind === item.kind)
      this.#items[last] = item;
    else this.#items.push(item);
    this.#options.onChange();
  }

  #isFull(): boolean {
    const { maxEvents, maxBytes } = this.#options;
    return this.#events >= maxEvents || this.#bytes >= maxBytes;
  }
}
