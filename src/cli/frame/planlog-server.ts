/** Asks the running server. Whether one runs is found out by asking it. */
import type { z } from 'zod';
import { problemSchema } from '../../api/problem/problem.schemas.js';
import { isLoopbackHostHeader } from '../../server/loopback.js';
import { serverUrl } from './server-address.js';
import { CliError, type CliContext } from './verb.js';

/** A repair reads a whole stream; a pause waits for the batch in hand. */
const ANSWER_WITHIN_MS = 120_000;

export interface ServerAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** JSON, unchecked; undefined where there is none. */
  readonly body: unknown;
}

export class PlanlogServer {
  readonly url: string;
  readonly #token: string | undefined;
  readonly #signal: AbortSignal;

  /** @throws {UsageError} PLANLOG_URL cannot be used */
  constructor({ env, signal }: Pick<CliContext, 'env' | 'signal'>) {
    this.url = serverUrl(env);
    this.#token = env['PLANLOG_TOKEN'] === '' ? undefined : env['PLANLOG_TOKEN'];
    this.#signal = signal;
  }

  /**
   * True when something listens there; it may turn out to be no Planlog.
   *
   * @throws {CliError} nothing does, on another machine: whether a server runs is not known
   */
  async isThere(): Promise<boolean> {
    try {
      await this.#fetch('GET', '/health/live');
      return true;
    } catch (error) {
      if (isRefused(error) && isLoopbackHostHeader(new URL(this.url).host)) return false;
      throw this.#unreachable(error);
    }
  }

  /**
   * Sends a request, and hands on its answer if it is no error.
   *
   * @throws {CliError} with what the server says is wrong
   */
  async send(method: 'GET' | 'POST' | 'DELETE', path: string): Promise<ServerAnswer> {
    let answer: Response;
    let text: string;
    try {
      answer = await this.#fetch(method, path);
      text = await answer.text();
    } catch (error) {
      throw this.#unreachable(error);
    }
    const body = parsed(text);
    if (answer.ok) return { status: answer.status, headers: answer.headers, body };
    const problem = problemSchema.loose().safeParse(body).data;
    if (problem === undefined) {
      throw new CliError(`what answers at ${this.url} is no Planlog server (${answer.status})`);
    }
    const hint = answer.status === 401 ? '; set PLANLOG_TOKEN' : '';
    throw new CliError(`${problem.detail} (${problem.code})${hint}`);
  }

  /** As {@link send}, for an answer of this shape. */
  async ask<S extends z.ZodType>(
    method: 'GET' | 'POST',
    path: string,
    schema: S,
  ): Promise<z.output<S>> {
    const { body } = await this.send(method, path);
    const result = schema.safeParse(body);
    if (result.success) return result.data;
    throw new CliError(`what answers at ${this.url} does not answer as this version knows it`);
  }

  #fetch(method: string, path: string): Promise<Response> {
    return fetch(this.url + path, {
      method,
      headers: this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` },
      signal: AbortSignal.any([this.#signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
      // A token goes nowhere else.
      redirect: 'manual',
    });
  }

  #unreachable(error: unknown): CliError {
    const why = this.#signal.aborted ? 'interrupted' : reasonOf(error);
    return new CliError(`the server at ${this.url} does not answer: ${why}`);
  }
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A few ports `fetch` never asks: no server can be reached there. */
function isRefused(error: unknown): boolean {
  return codeOf(error) === 'ECONNREFUSED' || messages(error).includes('bad port');
}

function messages(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('message' in error)) return '';
  return `${String(error.message)} ${'cause' in error ? messages(error.cause) : ''}`;
}

/** `fetch` says why under `cause`, and of several addresses under `errors`. */
function codeOf(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error) return error.code;
  return 'cause' in error ? codeOf(error.cause) : undefined;
}

function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (typeof code === 'string') return code;
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error);
}
