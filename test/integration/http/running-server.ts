/** A real server on a log of its own, and the calls that tests make. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../../src/server/config.js';
import { startPlanlog, type Planlog } from '../../../src/server/create-server.js';
import { openLog } from '../../../src/server/open-log.js';
import { SseClient } from '../../unit/api/sse-client.js';
import { OwnSessions } from './own-sessions.js';

/** An EventStoreDB that a server can have as its log. */
export interface EventStoreServer {
  readonly url: string;
  stop(): Promise<void>;
}

let eventStore: (() => Promise<EventStoreServer>) | undefined;

/** From here on the servers of this test file have their log on an EventStoreDB. */
export function useEventStore(start: () => Promise<EventStoreServer>): void {
  eventStore = start;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export interface ReceiptBody {
  readonly revision: string;
  readonly position: string;
}

/** Where a server keeps what outlives it. */
interface Place {
  readonly directory: string;
  readonly env: Record<string, string>;
  readonly server: EventStoreServer | undefined;
  readonly sessions: OwnSessions;
}

export class RunningServer {
  private constructor(
    public planlog: Planlog,
    private readonly place: Place,
    private readonly mark: string,
  ) {}

  /** @param env as the server's environment; the port and the directory are chosen here */
  static async start(env: Record<string, string> = {}): Promise<RunningServer> {
    const directory = await mkdtemp(join(tmpdir(), 'planlog-http-'));
    const server = await eventStore?.();
    const whole = { ...env, ...(server && { EVENTSTORE_URL: server.url }) };
    const mark = randomUUID().slice(0, 8);
    const place = { directory, env: whole, server, sessions: new OwnSessions(mark) };
    return new RunningServer(await startOn(place), place, mark);
  }

  /** Stops, and starts again on the same log. */
  async restart(): Promise<void> {
    await this.planlog.close();
    this.planlog = await startOn(this.place);
  }

  /** Stops, has something happen to the files, and starts again on them. */
  async damage(happens: (directory: string) => void): Promise<void> {
    await this.planlog.close();
    happens(this.place.directory);
    this.planlog = await startOn(this.place);
    await this.planlog.caughtUp();
  }

  async stop(): Promise<void> {
    await this.planlog.close();
    await this.place.server?.stop();
    await rm(this.place.directory, { recursive: true });
  }

  /** A session id that nobody else uses on a log that may hold other data; the methods below
   * that take a session take its short name as well. */
  id(name: string): string {
    return name.includes(this.mark) ? name : `${name}.${this.mark}`;
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const answer = await fetch(this.planlog.url + path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  }

  startTurn(session: string, turnId: string, supersede?: true): Promise<Answer> {
    return this.call('POST', `/v1/sessions/${this.id(session)}/turns`, { turnId, supersede });
  }

  endTurn(session: string, turnId: string, outcome = 'completed'): Promise<Answer> {
    return this.call('POST', `/v1/sessions/${this.id(session)}/turns/${turnId}/end`, { outcome });
  }

  write(
    session: string,
    turnId: string,
    contents: readonly string[],
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const todos = contents.map((content) => ({ content, status: 'pending' }));
    return this.call('PUT', `/v1/sessions/${this.id(session)}/todos`, { turnId, todos }, headers);
  }

  /** Reads what includes that answer's change. */
  read(session: string, after?: Answer, headers: Record<string, string> = {}): Promise<Answer> {
    const position = after?.headers.get('planlog-position');
    const query = position == null ? '' : `?after=${position}`;
    return this.call('GET', `/v1/sessions/${this.id(session)}/todos${query}`, undefined, headers);
  }

  follow(session: string, headers: Record<string, string> = {}): Promise<SseClient> {
    return SseClient.open(
      `${this.planlog.url}/v1/sessions/${this.id(session)}/todos/events`,
      headers,
    );
  }
}

function startOn({ directory, env, server, sessions }: Place): Promise<Planlog> {
  const config = readConfig({
    PORT: '0',
    PLANLOG_DATA_DIR: directory,
    PLANLOG_LOG_LEVEL: 'silent',
    ...env,
  });
  if (server === undefined) return startPlanlog(config);
  return startPlanlog(config, undefined, async (...args) => {
    const { log, checks } = await openLog(...args);
    return { log: await sessions.of(log), checks };
  });
}

/** The receipt in an answer. */
export function receiptOf({ body }: Answer): ReceiptBody {
  if (typeof body !== 'object' || body === null) throw new Error('no receipt');
  if (!('revision' in body) || typeof body.revision !== 'string') throw new Error('no revision');
  if (!('position' in body) || typeof body.position !== 'string') throw new Error('no position');
  return { revision: body.revision, position: body.position };
}
