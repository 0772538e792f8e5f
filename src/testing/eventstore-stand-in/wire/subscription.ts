/**
 * A catch-up subscription: confirmation, stored events, checkpoints, "caught up", then each new
 * event. A reader that falls more than a buffer behind is caught up again without a word.
 */
import { randomUUID } from 'node:crypto';
import type { LiveSubscription, ServerContext } from '../server-context.js';
import type { ObservedSubscription } from '../observations.js';
import type { StoredRecord } from '../store/record.js';
import { MessagePump, type PumpStep, type ReadCall } from './message-pump.js';
import {
  CAUGHT_UP,
  checkpointMessage,
  confirmationMessage,
  eventMessage,
  linkToNothingMessage,
  type UuidForm,
  type WirePosition,
} from './read-messages.js';
import { streamDeleted, type CallStatus } from './statuses.js';
import type { SubscriptionSource } from './subscription-sources.js';

/** What the server buffers for a live subscription. */
const LIVE_BUFFER = 32;

/** How many events without a match are passed over before other calls have their turn. */
const CONSIDERED_AT_ONCE = 4096;

const GREATEST = 18_446_744_073_709_551_615n;

export class Subscription implements LiveSubscription, ObservedSubscription {
  readonly connectionName: string | undefined;
  readonly #context: ServerContext;
  readonly #source: SubscriptionSource;
  readonly #uuids: UuidForm;
  readonly #pump: MessagePump;
  readonly #stopListening: () => void;
  #outbox: Buffer[] = [];
  #confirmed = false;
  #live = false;
  #everLive = false;
  #sent = 0;
  #considered = 0;
  #lastCheckpoint: WirePosition | undefined;

  constructor(context: ServerContext, call: ReadCall, source: SubscriptionSource, uuids: UuidForm) {
    const name = call.metadata.get('connection-name')[0];
    this.connectionName = typeof name === 'string' ? name : undefined;
    this.#context = context;
    this.#source = source;
    this.#uuids = uuids;
    this.#pump = new MessagePump(context, call, () => this.#step());
    this.#stopListening = context.store.onWrite(() => {
      this.#pump.wake();
    });
    context.subscriptions.add(this);
    context.observed.subscriptionOpened(this);
    call.on('cancelled', () => {
      this.#close();
    });
    this.#pump.start();
  }

  get source(): string {
    return this.#source.name;
  }

  get confirmed(): boolean {
    return this.#confirmed;
  }

  get caughtUp(): boolean {
    return this.#everLive;
  }

  get sent(): number {
    return this.#sent;
  }

  wake(): void {
    this.#pump.wake();
  }

  endWith(status: CallStatus): void {
    this.#pump.endWith(status);
    this.#close();
  }

  endQuietly(): void {
    this.#pump.endQuietly();
    this.#close();
  }

  #close(): void {
    this.#pump.close();
    this.#stopListening();
    this.#context.subscriptions.delete(this);
    this.#context.observed.subscriptionClosed(this);
  }

  #step(): PumpStep {
    if (this.#context.faults.switches.muteSubscriptions) return 'idle';
    const waiting = this.#outbox.shift();
    if (waiting !== undefined) return waiting;
    if (!this.#confirmed) {
      this.#confirmed = true;
      this.#context.observed.changed();
      return confirmationMessage(randomUUID());
    }
    if (this.#source.deleted) {
      this.endWith(streamDeleted(this.#source.name));
      return 'idle';
    }
    if (this.#live && this.#source.lag() > LIVE_BUFFER) this.#live = false;
    for (let passed = 0; passed < CONSIDERED_AT_ONCE; passed += 1) {
      const record = this.#source.take(this.#live);
      if (record === undefined) return this.#head();
      this.#consider(record);
      const first = this.#outbox.shift();
      if (first !== undefined) return first;
    }
    return 'breathe';
  }

  #consider(record: StoredRecord): void {
    const { filter } = this.#source;
    if (filter === undefined || filter.matches(record)) {
      const { deliveries, absentEvents } = this.#context.faults.switches;
      const absent = absentEvents !== false && record.stream.startsWith(absentEvents);
      const message = absent
        ? linkToNothingMessage(record, this.#uuids)
        : eventMessage(record, this.#uuids);
      for (let n = 0; n < deliveries; n += 1) {
        this.#outbox.push(message);
      }
      this.#sent += 1;
      this.#context.observed.changed();
    }
    if (filter === undefined) return;
    this.#considered += 1;
    if (this.#considered % filter.checkpointEvery !== 0) return;
    this.#checkpoint({ commit: record.position, prepare: record.position });
  }

  /** At the head: the first time, and after falling behind, the reader is told so. */
  #head(): PumpStep {
    if (this.#live) return 'idle';
    this.#live = true;
    this.#everLive = true;
    this.#context.observed.changed();
    if (this.#source.filter !== undefined) {
      // The end of the log and the last event: never the position of an event to come.
      const { end, all } = this.#context.store;
      this.#checkpoint({ commit: end, prepare: all.at(-1)?.position ?? 0n });
    }
    this.#outbox.push(CAUGHT_UP);
    return this.#outbox.shift() ?? 'idle';
  }

  #checkpoint(right: WirePosition): void {
    const told = this.#told(right);
    if (told === undefined) return;
    this.#lastCheckpoint = told;
    this.#outbox.push(checkpointMessage(told));
  }

  #told(right: WirePosition): WirePosition | undefined {
    switch (this.#context.faults.switches.checkpoints) {
      case 'right':
        return right;
      case 'prepare-zero':
        return { commit: right.commit, prepare: 0n };
      case 'greatest':
        return { commit: GREATEST, prepare: GREATEST };
      case 'repeated':
        return this.#lastCheckpoint ?? right;
      case 'none':
        return undefined;
    }
  }
}
