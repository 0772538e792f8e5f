/**
 * What the stand-in saw: calls with their headers, appends and their fates, and what is open
 * now. Tests wait on it instead of sleeping.
 */
import type { ServerHttp2Stream } from 'node:http2';

/** A call as its headers showed it. */
export interface ObservedCall {
  /** `Streams/Read`, `Streams/BatchAppend`, … */
  readonly method: string;
  readonly connectionName: string | undefined;
  /** What the client offers to decompress, as `grpc-accept-encoding` says. */
  readonly acceptEncoding: string | undefined;
  readonly requiresLeader: boolean;
  readonly authorization: string | undefined;
}

export interface ObservedSubscription {
  readonly connectionName: string | undefined;
  /** `$all` or the stream's name. */
  readonly source: string;
  readonly confirmed: boolean;
  readonly caughtUp: boolean;
  /** How many events it was sent. */
  readonly sent: number;
}

export interface AppendCounts {
  readonly received: number;
  readonly stored: number;
  readonly idempotent: number;
  readonly refused: number;
}

/** Enough for a test to look at; a bench makes millions. */
const REMEMBERED_CALLS = 10_000;

export class Observations {
  #calls: ObservedCall[] = [];
  readonly #counts = new Map<string, number>();
  readonly #subscriptions = new Set<ObservedSubscription>();
  readonly #openCalls = new Map<string, number>();
  readonly #waiting = new Set<() => void>();
  #connections = 0;
  #appends = { received: 0, stored: 0, idempotent: 0, refused: 0 };

  /** The latest calls, oldest first: at most 10,000. */
  get calls(): readonly ObservedCall[] {
    return this.#calls;
  }

  get appends(): AppendCounts {
    return { ...this.#appends };
  }

  /** Subscriptions that are open now. */
  get liveSubscriptions(): readonly ObservedSubscription[] {
    return [...this.#subscriptions];
  }

  /** Connections that are open now. */
  get connections(): number {
    return this.#connections;
  }

  /** How many calls of a method came in all. */
  count(method: string): number {
    return this.#counts.get(method) ?? 0;
  }

  /** How many calls of a method, or of all, are open now. */
  open(method?: string): number {
    if (method !== undefined) return this.#openCalls.get(method) ?? 0;
    let all = 0;
    for (const open of this.#openCalls.values()) all += open;
    return all;
  }

  /** Settles as soon as the test holds, now or after a change. */
  async until(test: (seen: this) => boolean): Promise<void> {
    while (!test(this)) {
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
      });
    }
  }

  callOpened(
    stream: ServerHttp2Stream,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    const text = (name: string) => {
      const value = headers[name];
      return typeof value === 'string' ? value : undefined;
    };
    const method = (text(':path') ?? '').replace(/^.*\.(?=[^.]*\/)/, '');
    if (this.#calls.length >= 2 * REMEMBERED_CALLS) {
      this.#calls = this.#calls.slice(-REMEMBERED_CALLS);
    }
    this.#calls.push({
      method,
      connectionName: text('connection-name'),
      acceptEncoding: text('grpc-accept-encoding'),
      requiresLeader: text('requires-leader') === 'true',
      authorization: text('authorization'),
    });
    this.#counts.set(method, this.count(method) + 1);
    this.#openCalls.set(method, this.open(method) + 1);
    stream.once('close', () => {
      this.#openCalls.set(method, this.open(method) - 1);
      this.changed();
    });
    this.changed();
  }

  connectionOpened(): void {
    this.#connections += 1;
    this.changed();
  }

  connectionClosed(): void {
    this.#connections -= 1;
    this.changed();
  }

  appendCame(fate: keyof AppendCounts): void {
    this.#appends[fate] += 1;
    this.changed();
  }

  subscriptionOpened(subscription: ObservedSubscription): void {
    this.#subscriptions.add(subscription);
    this.changed();
  }

  subscriptionClosed(subscription: ObservedSubscription): void {
    this.#subscriptions.delete(subscription);
    this.changed();
  }

  changed(): void {
    if (this.#waiting.size === 0) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }
}
