/** A real server on a log of its own, and the calls that tests make. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../../src/server/config.js';
import { startPlanlog, type Planlog } from '../../../src/server/create-server.js';
import { EventStoreStandIn } from '../../../src/testing/eventstore-stand-in/stand-in.js';
import { SseClient } from '../../unit/api/sse-client.js';

let onStandIn = false;

/** From here on each server of this test file has a stand-in for EventStoreDB of its own. */
export function useStandIn(): void {
  onStandIn = true;
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

export class RunningServer {
  private constructor(
    public planlog: Planlog,
    private readonly directory: string,
    private readonly env: Record<string, string>,
    private readonly standIn: EventStoreStandIn | undefined,
  ) {}

  /** @param env as the server's environment; the port and the directory are chosen here */
  static async start(env: Record<string, string> = {}): Promise<RunningServer> {
    const directory = await mkdtemp(join(tmpdir(), 'planlog-http-'));
    const standIn = onStandIn ? await EventStoreStandIn.start() : undefined;
    const whole = { ...env, ...(standIn && { EVENTSTORE_URL: standIn.connectionString }) };
    return new RunningServer(await startOn(directory, whole), directory, whole, standIn);
  }

  /** Stops, and starts again on the same log. */
  async restart(): Promise<void> {
    await this.planlog.close();
    this.planlog = await startOn(this.directory, this.env);
  }

  async stop(): Promise<void> {
    await this.planlog.close();
    await this.standIn?.close();
    await rm(this.directory, { recursive: true });
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
    return this.call('POST', `/v1/sessions/${session}/turns`, { turnId, supersede });
  }

  endTurn(session: string, turnId: string, outcome = 'completed'): Promise<Answer> {
    return this.call('POST', `/v1/sessions/${session}/turns/${turnId}/end`, { outcome });
  }

  write(
    session: string,
    turnId: string,
    contents: readonly string[],
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const todos = contents.map((content) => ({ content, status: 'pending' }));
    return this.call('PUT', `/v1/sessions/${session}/todos`, { turnId, todos }, headers);
  }

  /** Reads what includes that answer's change. */
  read(session: string, after?: Answer, headers: Record<string, string> = {}): Promise<Answer> {
    const position = after?.headers.get('planlog-position');
    const query = position == null ? '' : `?after=${position}`;
    return this.call('GET', `/v1/sessions/${session}/todos${query}`, undefined, headers);
  }

  follow(session: string, headers: Record<string, string> = {}): Promise<SseClient> {
    return SseClient.open(`${this.planlog.url}/v1/sessions/${session}/todos/events`, headers);
  }
}

function startOn(directory: string, env: Record<string, string>): Promise<Planlog> {
  return startPlanlog(
    readConfig({ PORT: '0', PLANLOG_DATA_DIR: directory, PLANLOG_LOG_LEVEL: 'silent', ...env }),
  );
}

/** The receipt in an answer. */
export function receiptOf({ body }: Answer): ReceiptBody {
  if (typeof body !== 'object' || body === null) throw new Error('no receipt');
  if (!('revision' in body) || typeof body.revision !== 'string') throw new Error('no revision');
  if (!('position' in body) || typeof body.position !== 'string') throw new Error('no position');
  return { revision: body.revision, position: body.position };
}
