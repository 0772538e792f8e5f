/**
 * The real client on a stand-in, with what the tests of this folder do with it.
 */
import { randomUUID } from 'node:crypto';
import {
  EventStoreDBClient,
  jsonEvent,
  NO_STREAM,
  START,
  streamNameFilter,
  type AllStreamSubscription,
  type AppendExpectedRevision,
  type AppendToStreamOptions,
  type JSONEventData,
  type Position,
} from '@eventstore/db-client';
import {
  EventStoreStandIn,
  type StandInOptions,
} from '../../../src/testing/eventstore-stand-in/stand-in.js';

export interface Scene {
  readonly standIn: EventStoreStandIn;
  readonly client: EventStoreDBClient;
}

/** Runs a test with a stand-in and a client on it, and takes both down afterwards. */
export function onStandIn(
  test: (scene: Scene) => Promise<void>,
  options: StandInOptions = {},
  parameters = '',
): () => Promise<void> {
  return async () => {
    const standIn = await EventStoreStandIn.start(options);
    const client = EventStoreDBClient.connectionString(standIn.connectionString + parameters);
    try {
      await test({ standIn, client });
    } finally {
      standIn.faults.clear();
      // Not awaited: with a half-closed batch stream it never settles.
      void client.dispose();
      await standIn.close();
    }
  };
}

export function event(type = 'tested', id: string = randomUUID()): JSONEventData {
  return jsonEvent({ type, id, data: { of: type } });
}

/** How something ended, as text: a success's revision, or an error's class, code and message. */
export async function outcome(promise: Promise<unknown>): Promise<string> {
  try {
    const value = await promise;
    const revision: unknown =
      typeof value === 'object' && value !== null
        ? Reflect.get(value, 'nextExpectedRevision')
        : undefined;
    return typeof revision === 'bigint' ? `stored at ${revision}` : 'done';
  } catch (error) {
    if (!(error instanceof Error)) return String(error);
    return `${error.constructor.name}: ${error.message}`;
  }
}

export function append(
  { client }: Scene,
  stream: string,
  expectedRevision: AppendExpectedRevision = NO_STREAM,
  ids: readonly string[] = [randomUUID()],
): Promise<string> {
  const events = ids.map((id) => event('tested', id));
  return outcome(client.appendToStream(stream, events, { expectedRevision }));
}

/** The same by a call of its own: per-call credentials make the client choose that way. */
export function appendAlone({ client }: Scene, stream: string): Promise<string> {
  const credentials = { username: 'somebody', password: 'secret' };
  const options: AppendToStreamOptions = { expectedRevision: NO_STREAM, credentials };
  return outcome(client.appendToStream(stream, event(), options));
}

/** A stream's events as `revision:id`, or how reading it failed. */
export async function read({ client }: Scene, stream: string): Promise<string[] | string> {
  const rows: string[] = [];
  const failed = await outcome(
    (async () => {
      for await (const { event: read } of client.readStream(stream)) {
        if (read !== undefined) rows.push(`${read.revision}:${read.id}`);
      }
    })(),
  );
  return failed === 'done' ? rows : failed;
}

/** True while a promise has not settled. */
export async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  return (await Promise.race([promise, Promise.resolve(pending)])) === pending;
}

/** What a subscription showed, in order, and a way to wait for it. */
export class Watched {
  readonly subscription: AllStreamSubscription;
  readonly seen: string[] = [];
  readonly positions: Position[] = [];
  readonly checkpoints: Position[] = [];
  readonly #waiting = new Set<() => void>();

  constructor({ client }: Scene, fromPosition: Position | typeof START = START, window = 32) {
    this.subscription = client.subscribeToAll({
      fromPosition,
      filter: streamNameFilter({
        prefixes: ['watched-'],
        maxSearchWindow: window,
        checkpointReached: (_subscription, position) => {
          this.checkpoints.push(position);
          this.#saw('checkpoint');
          return Promise.resolve();
        },
      }),
    });
    this.subscription.on('data', ({ event: read }) => {
      if (read === undefined) return;
      this.positions.push(read.position);
      this.#saw(`${read.streamId}@${read.revision}`);
    });
    for (const name of ['confirmation', 'caughtUp', 'end', 'close'] as const) {
      this.subscription.on(name, () => {
        this.#saw(name);
      });
    }
    this.subscription.on('error', (error) => {
      this.#saw(`${error.constructor.name}: ${error.message}`);
    });
  }

  /** Only the events. */
  get events(): readonly string[] {
    return this.seen.filter((what) => what.includes('@'));
  }

  async until(test: (watched: this) => boolean): Promise<void> {
    while (!test(this)) {
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
      });
    }
  }

  sees(what: string): Promise<void> {
    return this.until(({ seen }) => seen.some((one) => one.startsWith(what)));
  }

  #saw(what: string): void {
    this.seen.push(what);
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }
}
