/** The API over a log in memory that counts what is read from it, for tests of the history. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiModule } from '../../../src/api/api.module.js';
import { Draining } from '../../../src/api/draining.js';
import { apiFastifyOptions } from '../../../src/api/fastify/fastify-options.js';
import { installApi } from '../../../src/api/fastify/install-api.js';
import { Readiness } from '../../../src/api/health/readiness.js';
import { EventSourcingModule } from '../../../src/event-sourcing/event-sourcing.module.js';
import type { NewEvent, ReadOptions, StoredEvent } from '../../../src/events/log/event-log.js';
import { sessionStream } from '../../../src/events/session-stream.js';
import { sqliteReadModels } from '../../../src/projections/read-model/sqlite/sqlite-read-models.js';
import { MemoryEventLog } from '../../../src/testing/memory-event-log.js';
import type { HistoryItem } from '../../../src/projections/todo-history/history-page.js';
import { TodosModule } from '../../../src/todos/todos.module.js';
import { list } from '../../unit/todo-history/lists.js';

/** Counts the events that readers took, and lets a test act while they read. */
export class WatchedLog extends MemoryEventLog {
  taken = 0;
  /** Called before each event is handed out. */
  beforeEach: (event: StoredEvent) => Promise<void> | void = () => undefined;
  /** Ends the reading that is under way, as a log does whose next page is empty. */
  cut = false;
  /** Called when a reading has ended. */
  afterwards: () => void = () => undefined;

  override async *read(
    stream: string,
    options: ReadOptions,
  ): AsyncGenerator<StoredEvent, void, undefined> {
    try {
      for await (const event of super.read(stream, options)) {
        await this.beforeEach(event);
        if (this.cut) {
          this.cut = false;
          return;
        }
        this.taken += 1;
        yield event;
      }
    } finally {
      this.afterwards();
    }
  }
}

/** What is told of an event: its type and its data, and its metadata where that matters. */
export interface Told {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export const born: Told = { type: 'session/start', data: { origin: { kind: 'new' } } };
export const removed: Told = { type: 'session/delete', data: {} };
export const foreign: Told = { type: 'message/append', data: { text: 'hello' } };
export const turn = (turnId: string): Told => ({ type: 'turn/start', data: { turnId } });
export const ended = (turnId: string): Told => ({
  type: 'turn/end',
  data: { turnId, outcome: 'completed' },
});
/** Items such as `I:build`. */
export const wrote = (turnId: string, ...items: string[]): Told => ({
  type: 'todo/write',
  data: { turnId, todos: list(...items) },
});

/** A page as it came over HTTP. */
export interface PageBody {
  readonly items: readonly HistoryItem[];
  readonly before: string | null;
}

export class HistoryApp {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly log: WatchedLog,
    private readonly directory: string,
  ) {}

  static async open(): Promise<HistoryApp> {
    const directory = await mkdtemp(join(tmpdir(), 'planlog-history-'));
    const log = new WatchedLog({ now: () => Date.UTC(2026, 10, 30, 9) });
    const app = await NestFactory.create<NestFastifyApplication>(
      ApiModule.forRoot({
        imports: [
          EventSourcingModule.forRoot({ log, readModels: sqliteReadModels(directory) }),
          TodosModule.forRoot({ policy: POLICY }),
        ],
        readiness: { provide: Readiness, useValue: { checks: () => [] } },
      }),
      new FastifyAdapter(apiFastifyOptions({ maxBodyBytes: 1_048_576 })),
      NEST_OPTIONS,
    );
    installApi(app);
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    return new HistoryApp(app, log, directory);
  }

  async close(): Promise<void> {
    await this.app.close();
    await rm(this.directory, { recursive: true });
  }

  /** Puts events at the end of a session's stream, as they are. */
  async given(told: readonly Told[], sessionId = 's1'): Promise<void> {
    const stream = sessionStream({ tenant: 'default', sessionId });
    let last: bigint | undefined;
    for await (const { revision } of this.log.read(stream, { direction: 'backwards', limit: 1 })) {
      last = revision;
    }
    // An append has a limit.
    for (let from = 0; from < told.length; from += BATCH) {
      const events = told.slice(from, from + BATCH).map(asNewEvent);
      ({ revision: last } = await this.log.append(stream, last ?? 'no_stream', events));
    }
    this.log.taken = 0;
  }

  get(query = '', sessionId = 's1') {
    return this.app.inject({
      method: 'GET',
      url: `/v1/sessions/${sessionId}/todos/history${query}`,
    });
  }

  get draining(): Draining {
    return this.app.get(Draining);
  }

  /** Starts to listen, where a test needs a real socket. */
  async listen(): Promise<string> {
    await this.app.listen(0, '127.0.0.1');
    return this.app.getUrl();
  }

  /** A page that must be there. */
  async page(query = '', sessionId = 's1'): Promise<PageBody> {
    const answer = await this.get(query, sessionId);
    expect(answer.statusCode).toBe(200);
    return answer.json<PageBody>();
  }

  /** Sends a command, which must be accepted. */
  async send(method: 'POST' | 'PUT', path: string, payload: object): Promise<void> {
    const answer = await this.app.inject({ method, url: `/v1/sessions/s1/${path}`, payload });
    expect(answer.statusCode).toBeLessThan(300);
  }
}

const NEST_OPTIONS: Readonly<NestApplicationOptions> = {
  bodyParser: false,
  logger: false,
  abortOnError: false,
};
const BATCH = 2_000;
const POLICY = {
  allowParallelInProgress: false,
  maxItems: 200,
  maxContentLength: 2_000,
  maxListBytes: 262_144,
};

function asNewEvent({ type, data, metadata }: Told): NewEvent {
  return {
    id: randomUUID(),
    type,
    data,
    metadata: metadata ?? {
      $correlationId: 'default.s1',
      $causationId: 'c1',
      schemaVersion: 1,
      actor: { kind: 'agent', subject: 'local' },
    },
  };
}
