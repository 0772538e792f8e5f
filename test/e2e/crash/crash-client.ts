/**
 * One agent under load: it opens turns, writes lists, ends turns and now and then deletes its
 * session and goes on in a new one, and it remembers what was acknowledged. A request that got
 * no answer is sent again with the same key after the restart, as a careful client would.
 */
import { randomInt, randomUUID } from 'node:crypto';

/** What the server said is stored. */
export interface Acknowledged {
  readonly type: string;
  readonly revision: bigint;
  readonly key: string;
  /** The list, where it was one. */
  readonly todos?: unknown;
}

interface Request {
  readonly type: string;
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly key: string;
  /** Statuses that mean "stored". */
  readonly todos?: unknown;
}

export class CrashClient {
  /** By session id. */
  readonly acknowledged = new Map<string, Acknowledged[]>();
  readonly deleted = new Set<string>();
  /** Answers that no client should ever see. */
  readonly faults: string[] = [];
  #session = 0;
  #turn = 0;
  #writes = 0;
  #open = false;
  #unanswered: Request | undefined;

  constructor(readonly name: string) {}

  get sessionId(): string {
    return `${this.name}-${this.#session}`;
  }

  /** Sends one request after the other until the server is gone or `done` says so. */
  async run(url: string, done: () => boolean): Promise<void> {
    while (!done()) {
      const request = this.#unanswered ?? this.#next();
      this.#unanswered = request;
      if (!(await this.#send(url, request))) return;
      this.#unanswered = undefined;
    }
  }

  #next(): Request {
    const key = randomUUID();
    const base = `/v1/sessions/${this.sessionId}`;
    if (!this.#open) {
      const turnId = `t${this.#turn}`;
      return { type: 'turn/start', method: 'POST', path: `${base}/turns`, body: { turnId }, key };
    }
    const dice = randomInt(100);
    if (dice < 4) return { type: 'session/delete', method: 'DELETE', path: base, key };
    if (dice < 20) {
      const path = `${base}/turns/t${this.#turn}/end`;
      return { type: 'turn/end', method: 'POST', path, body: { outcome: 'completed' }, key };
    }
    this.#writes += 1;
    const todos = Array.from({ length: randomInt(9) }, (_, i) => ({
      content: `write ${this.#writes} item ${i}`,
      status: 'pending',
    }));
    const body = { turnId: `t${this.#turn}`, todos };
    return { type: 'todo/write', method: 'PUT', path: `${base}/todos`, body, key, todos };
  }

  /** False where there was no answer. */
  async #send(url: string, request: Request): Promise<boolean> {
    const { method, path, body, key } = request;
    let status: number;
    let text: string;
    try {
      const answer = await fetch(url + path, {
        method,
        headers: {
          'idempotency-key': key,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      status = answer.status;
      text = await answer.text();
    } catch {
      return false;
    }
    if (status < 200 || status > 299) {
      this.faults.push(`${method} ${path}: ${status} ${text}`);
      return true;
    }
    this.#accepted(request, text);
    return true;
  }

  #accepted({ type, key, todos }: Request, text: string): void {
    const known = this.acknowledged.get(this.sessionId) ?? [];
    this.acknowledged.set(this.sessionId, known);
    if (type === 'session/delete') {
      this.deleted.add(this.sessionId);
      this.#session += 1;
      this.#open = false;
      this.#turn = 0;
      return;
    }
    const { revision } = JSON.parse(text) as { revision: string };
    known.push({
      type,
      key,
      revision: BigInt(revision),
      ...(todos === undefined ? {} : { todos }),
    });
    if (type === 'turn/start') this.#open = true;
    if (type === 'turn/end') {
      this.#open = false;
      this.#turn += 1;
    }
  }
}
