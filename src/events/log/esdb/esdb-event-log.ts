/** The event log on EventStoreDB or KurrentDB: the port over db-client, its traps closed. */
import { checkStreamName, encodeEvents } from '../encode-events.js';
import { ConflictError, UnavailableError, type EventLogError } from '../errors.js';
import type {
  AppendResult,
  EventLog,
  EventPuller,
  ExpectedRevision,
  NewEvent,
  PullOptions,
  ReadOptions,
  StoredEvent,
} from '../event-log.js';
import { LOG_START, type Position } from '../position.js';
import { appendEvents, type AppendRequest, type AppendTools } from './append-events.js';
import { AppendLane } from './append-lane.js';
import { ClientSlot } from './client-slot.js';
import { ClockWatch } from './clock-watch.js';
import type { ConnectionSettings } from './connection-settings.js';
import type { EsdbLimits, EsdbReport } from './esdb-options.js';
import { EsdbPuller } from './esdb-puller.js';
import { HeadWatch } from './head-watch.js';
import { LogClient } from './log-client.js';
import { identify } from './log-identity.js';
import { ReadinessWatch, saysNotReady, type EsdbReadiness } from './readiness.js';
import { missingRights } from './missing-rights.js';
import { lastOf, lastOfLog, readStream, type WithClient } from './read-stream.js';
import { truncateStream } from './truncate-stream.js';

export interface EsdbEventLogParts {
  readonly settings: ConnectionSettings;
  readonly compression: 'off' | 'gzip';
  readonly limits: EsdbLimits;
  readonly report: EsdbReport;
}

/** What an operator wants to count. */
export interface EsdbCounters {
  /** Clients that were replaced because they were suspect. */
  readonly replacedClients: number;
  /** Pulls whose subscription was lost. */
  readonly lostSubscriptions: number;
  /** Links to events that are gone. */
  readonly absentEvents: number;
}

/** The highest revision a server knows. */
const LAST_REVISION = 2n ** 63n - 1n;

/** Made by `openEsdbEventLog`. */
export class EsdbEventLog implements EventLog {
  readonly #limits: EsdbLimits;
  readonly #lane: AppendLane;
  readonly #slot: ClientSlot;
  readonly #tools: AppendTools;
  readonly #pullers = new Set<EsdbPuller>();
  readonly #heads: HeadWatch;
  readonly #readiness: ReadinessWatch;
  #lostSubscriptions = 0;
  #absentEvents = 0;
  #closed = false;
  #closing: Promise<void> | undefined;

  /** @internal */
  constructor({ settings, compression, limits, report }: EsdbEventLogParts) {
    this.#limits = limits;
    this.#lane = new AppendLane(limits, (client) => {
      this.#slot.suspect(client, 'an append was not answered');
    });
    this.#slot = new ClientSlot({
      lane: this.#lane,
      create: (onQuietEnd) => new LogClient(settings, compression, onQuietEnd),
      onReplace: (reason) => {
        report('warn', `EventStoreDB: replacing the connection to ${settings.target}: ${reason}`);
      },
    });
    this.#tools = {
      lane: this.#lane,
      clock: new ClockWatch(() => {
        report(
          'problem',
          'EventStoreDB: the clock of this machine is behind the clock of the server; mend it. ' +
            'Appends take a slower way until then',
        );
      }),
      timeoutMs: limits.appendTimeoutMs,
      perCall: settings.perCall,
      storedAlready: (request) => this.#storedAlready(request),
      positionOf: (stream, revision) => this.#positionOf(stream, revision),
      suspect: (client, reason) => {
        this.#slot.suspect(client, reason);
      },
      outcome: (error) => {
        this.#outcome(error);
      },
    };
    this.#heads = new HeadWatch(() => this.head(), limits.headPollMs);
    this.#readiness = new ReadinessWatch({
      append: async () => {
        await this.logId();
      },
      subscribe: () => this.#probeSubscription(),
    });
  }

  get counters(): EsdbCounters {
    return {
      replacedClients: this.#slot.replaced,
      lostSubscriptions: this.#lostSubscriptions,
      absentEvents: this.#absentEvents,
    };
  }

  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<AppendResult> {
    checkStreamName(stream);
    const encoded = encodeEvents(events);
    if (expected !== 'no_stream' && (expected < 0n || expected > LAST_REVISION)) {
      const last = await lastOf(this.#withClient, stream, this.#limits.readTimeoutMs);
      throw new ConflictError(stream, last?.revision ?? null);
    }
    const result = await appendEvents({ stream, expected, events: encoded }, this.#tools);
    for (const puller of this.#pullers) puller.appended(stream, result.position);
    return result;
  }

  read(stream: string, options: ReadOptions): AsyncIterable<StoredEvent> {
    return readStream(this.#withClient, stream, options, this.#limits.readTimeoutMs);
  }

  pull(options: PullOptions): EventPuller {
    const puller = new EsdbPuller(
      {
        client: () => this.#slot.client(),
        subscription: (_confirmed, failure) => {
          if (failure) this.#lostSubscriptions += 1;
          this.#readiness.note('subscribe', failure);
        },
        absent: () => {
          this.#absentEvents += 1;
        },
        closed: (closed) => {
          this.#pullers.delete(closed);
          this.#heads.remove(closed);
        },
      },
      options,
    );
    if (!this.#closed) {
      this.#pullers.add(puller);
      this.#heads.add(puller);
    }
    return puller;
  }

  async truncate(stream: string, before: bigint): Promise<void> {
    await truncateStream(
      {
        last: (name) => lastOf(this.#withClient, name, this.#limits.readTimeoutMs),
        append: (name, expected, events) => this.append(name, expected, events),
      },
      stream,
      before,
    );
  }

  async head(): Promise<Position> {
    const { readTimeoutMs } = this.#limits;
    const last = await this.#withClient((client) => lastOfLog(client, readTimeoutMs));
    return last?.position ?? LOG_START;
  }

  logId(): Promise<string> {
    return identify({
      first: (stream) => this.#at(stream, 0n),
      append: (stream, expected, events) => this.append(stream, expected, events),
    });
  }

  /** Whether appends and subscriptions both work; tries them where nothing told lately. */
  readiness(): Promise<EsdbReadiness> {
    return this.#readiness.check();
  }

  /** @internal Tries both ways once. @returns the rights that the user lacks */
  async probe(streamPrefixes: readonly string[]): Promise<readonly string[]> {
    const missing = await missingRights(
      {
        readFirst: (stream) => this.#at(stream, 0n),
        append: (stream, expected, events) => this.append(stream, expected, events),
        subscribe: () => this.#probeSubscription(),
      },
      streamPrefixes,
    );
    if (missing.length === 0) await this.logId();
    return missing;
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#closed = true;
    this.#heads.stop();
    await Promise.all([...this.#pullers].map((puller) => puller.close()));
    await this.#lane.close();
    await this.#slot.close();
  }

  readonly #withClient: WithClient = async (call) => {
    if (this.#closed && this.#lane.pending === 0) {
      throw new UnavailableError('closed', 'the log is closed');
    }
    return call(await this.#slot.client());
  };

  /** The first event at or after a revision. */
  async #at(stream: string, from: bigint): Promise<StoredEvent | undefined> {
    const options = { direction: 'forwards', from, limit: 1 } as const;
    for await (const event of this.read(stream, options)) return event;
    return undefined;
  }

  async #storedAlready({ stream, expected, events }: AppendRequest): Promise<Position | undefined> {
    const from = expected === 'no_stream' ? 0n : expected + 1n;
    const options = { direction: 'forwards', from, limit: events.length } as const;
    let index = 0;
    let last: StoredEvent | undefined;
    for await (const event of this.read(stream, options)) {
      if (event.revision !== from + BigInt(index) || event.id !== events[index]?.id) return;
      last = event;
      index += 1;
    }
    return index === events.length ? last?.position : undefined;
  }

  async #positionOf(stream: string, revision: bigint): Promise<Position> {
    const event = await this.#at(stream, revision);
    // Truncated meanwhile: a later position only makes who waits for it wait longer.
    return event?.revision === revision ? event.position : this.head();
  }

  #outcome(error: EventLogError | undefined): void {
    if (error === undefined) this.#readiness.note('append');
    else if (saysNotReady(error)) this.#readiness.note('append', error);
  }

  async #probeSubscription(): Promise<void> {
    const puller = this.pull({ prefix: '$no-such-stream', after: await this.head() });
    const timeout = new Promise<never>((_, reject) => {
      setTimeout(() => {
        reject(new UnavailableError('unreachable', 'a subscription to $all is not confirmed'));
      }, this.#limits.readTimeoutMs).unref();
    });
    try {
      await Promise.race([puller.next(), timeout]);
    } finally {
      await puller.close();
    }
  }
}
