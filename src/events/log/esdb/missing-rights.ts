/**
 * Finds the rights that the user lacks, all of them at once, without writing anything: an append
 * at a revision that no stream has is a conflict for whoever may write, and denied to others.
 */
import { randomUUID } from 'node:crypto';
import { ConflictError } from '../errors.js';
import type { AppendResult, ExpectedRevision, NewEvent } from '../event-log.js';
import { LOG_IDENTITY_STREAM } from './log-identity.js';

/** What a check needs of the log. */
export interface CheckedLog {
  /** The first event of a stream, if there is one. */
  readFirst(stream: string): Promise<unknown>;
  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<AppendResult>;
  /** Resolves when a subscription to `$all` was confirmed. */
  subscribe(): Promise<void>;
}

/** No stream gets this long. */
const NO_REVISION = 2n ** 62n;

/**
 * @param streamPrefixes what the names of the streams begin with that will be used
 * @returns what the user may not do, each in words; empty where nothing is missing
 * @throws {UnavailableError} | {OutcomeUnknownError} the server does not say
 */
export async function missingRights(
  log: CheckedLog,
  streamPrefixes: readonly string[],
): Promise<readonly string[]> {
  const missing: string[] = [];
  const check = async (right: string, attempt: () => Promise<unknown>): Promise<void> => {
    if (await isDenied(attempt)) missing.push(right);
  };
  const checkStream = async (stream: string, what: string, type?: string): Promise<void> => {
    await check(`read ${what}`, () => log.readFirst(stream));
    await check(`write to ${what}`, () => log.append(stream, NO_REVISION, [eventOf(type)]));
  };
  await checkStream(LOG_IDENTITY_STREAM, `the stream ${LOG_IDENTITY_STREAM}`);
  await check('read and subscribe to $all', () => log.subscribe());
  for (const prefix of streamPrefixes) {
    // No name of a stream in use: what is tried here is never stored, but rules may be by name.
    const stream = `${prefix}planlog-rights`;
    await checkStream(stream, `streams that begin with ${prefix}`);
    await checkStream(`$$${stream}`, `streams that begin with $$${prefix} (metadata)`, '$metadata');
  }
  return missing;
}

function eventOf(type = 'rights/check'): NewEvent {
  return { id: randomUUID(), type, data: {}, metadata: {} };
}

async function isDenied(attempt: () => Promise<unknown>): Promise<boolean> {
  try {
    await attempt();
    return false;
  } catch (error) {
    if (error instanceof ConflictError) return false;
    const cause: unknown = error instanceof Error ? error.cause : undefined;
    const denied = cause instanceof Error && Reflect.get(cause, 'type') === 'access-denied';
    // A wrong password denies everything: that is another problem.
    if (denied && Reflect.get(cause, 'code') !== UNAUTHENTICATED) return true;
    throw error;
  }
}

const UNAUTHENTICATED = 16;
