/** The few calls that an agent's host makes, each repeated safely until it is answered. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { receiptSchema } from '../../api/request/receipt.schemas.js';
import { toolResultSchema } from '../../api/tools/tool-answers.schemas.js';

const ANSWER_WITHIN_MS = 10_000;
const ATTEMPTS = 5;
const RETRY_AFTER_MS = 500;

/** Nothing answers there, or not as Planlog does. */
export class NoServerError extends Error {
  override readonly name = 'NoServerError';
}

interface Command {
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  /** The revision the session must be at. */
  readonly ifMatch?: string | undefined;
}

/** @throws {NoServerError} */
export async function assertServer(url: string): Promise<void> {
  const advice = 'start one with "planlog serve" or "npm start", or set PLANLOG_URL';
  let answer: Response;
  try {
    answer = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  } catch {
    throw new NoServerError(`no Planlog server answers at ${url}: ${advice}`);
  }
  if (!answer.ok) {
    throw new NoServerError(`what answers at ${url} is not ready (${answer.status}): ${advice}`);
  }
}

/** One session, as its host sees it. */
export class AgentClient {
  /** Of the latest answer: the fence for the next turn. */
  private revision: string | undefined;
  private calls = 0;

  constructor(
    private readonly url: string,
    readonly sessionId: string,
  ) {}

  /**
   * Opens a turn. With If-Match, as it may be repeated: a duplicate that comes late must not
   * open the turn again. The first turn creates the session, so there is nothing to match.
   */
  async startTurn(turnId: string): Promise<void> {
    await this.receipt({
      method: 'POST',
      path: '/turns',
      body: { turnId },
      ifMatch: this.revision,
    });
  }

  /** What the model would read. */
  async callTool(turnId: string, args: unknown): Promise<z.infer<typeof toolResultSchema>> {
    this.calls += 1;
    const body = { turnId, callId: `call-${this.calls}`, arguments: args };
    const answer = await this.send({ method: 'POST', path: '/tools/todo_write', body });
    const result = toolResultSchema.parse(await answer.json());
    this.revision = result.structuredContent?.revision ?? this.revision;
    return result;
  }

  async endTurn(turnId: string, outcome: 'completed' | 'failed' | 'aborted'): Promise<void> {
    await this.receipt({ method: 'POST', path: `/turns/${turnId}/end`, body: { outcome } });
  }

  /** The new session, which has no turn yet. */
  async fork(sessionId: string): Promise<AgentClient> {
    const answer = await this.send({ method: 'POST', path: '/fork', body: { sessionId } });
    const child = new AgentClient(this.url, sessionId);
    child.revision = receiptSchema.parse(await answer.json()).revision;
    return child;
  }

  async delete(): Promise<void> {
    await this.send({ method: 'DELETE', path: '' });
  }

  private async receipt(command: Command): Promise<void> {
    const answer = await this.send(command);
    this.revision = receiptSchema.parse(await answer.json()).revision;
  }

  /** Sends it under one key until there is an answer that is final. */
  private async send({ method, path, body, ifMatch }: Command): Promise<Response> {
    const headers = {
      'Idempotency-Key': randomUUID(),
      ...(body && { 'Content-Type': 'application/json' }),
      ...(ifMatch !== undefined && { 'If-Match': `"${ifMatch}"` }),
    };
    const url = `${this.url}/v1/sessions/${this.sessionId}${path}`;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await attemptAt(url, {
        method,
        headers,
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
        ...(body && { body: JSON.stringify(body) }),
      });
      if (answer instanceof Response && answer.status < 500) {
        if (answer.ok) return answer;
        throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`);
      }
      if (attempt === ATTEMPTS) {
        const what = answer instanceof Response ? String(answer.status) : answer.message;
        throw new NoServerError(`the server at ${this.url} does not answer any more: ${what}`);
      }
      await sleep(RETRY_AFTER_MS * attempt);
    }
  }
}

/** The answer, or why there is none. */
async function attemptAt(url: string, request: RequestInit): Promise<Response | Error> {
  try {
    return await fetch(url, request);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
