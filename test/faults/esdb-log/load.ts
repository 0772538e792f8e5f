/**
 * Concurrent writers that append and settle as the command runtime does, and the proof of what
 * they were told: nothing acknowledged is lost, nothing is stored twice.
 */
import { randomUUID } from 'node:crypto';
import { CommandFailedError } from '../../../src/commands/runtime/command-failed.js';
import { appendAndSettle } from '../../../src/commands/runtime/settle-append.js';
import { realTiming } from '../../../src/commands/runtime/timing.js';
import type { EventLog, NewEvent, StoredEvent } from '../../../src/events/log/event-log.js';

const SETTLE_MS = 20_000;

/** One writer of one stream, at most one append at a time. */
export class Writer {
  readonly stream: string;
  /** Ids in the order in which they were acknowledged. */
  readonly acknowledged: string[] = [];
  /** Told to the caller as not stored, or not known; tried again with new ids. */
  readonly failed: string[] = [];
  #written = 0;

  constructor(name: string) {
    this.stream = `load-${name}-${randomUUID()}`;
  }

  get written(): number {
    return this.#written;
  }

  /** Writes until so many appends are acknowledged. */
  async write(log: EventLog, count: number): Promise<void> {
    for (let done = 0; done < count; done += 1) {
      while (!(await this.#once(log))) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async #once(log: EventLog): Promise<boolean> {
    // As a command does: decide anew on what is there.
    const events = newEvents(1 + (this.#written % 3));
    try {
      const last = await lastRevision(log, this.stream);
      const expected = last ?? 'no_stream';
      const settled = await appendAndSettle(
        log,
        { stream: this.stream, expected, events },
        realTiming,
        SETTLE_MS,
      );
      if (settled === undefined) throw new Error('a conflict without another writer');
    } catch (error) {
      if (isTransient(error)) {
        this.failed.push(...events.map(({ id }) => id));
        return false;
      }
      throw error;
    }
    this.#written += 1;
    this.acknowledged.push(...events.map(({ id }) => id));
    return true;
  }
}

function newEvents(count: number): NewEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    id: randomUUID(),
    type: 'load',
    data: { index },
    metadata: {},
  }));
}

async function lastRevision(log: EventLog, stream: string): Promise<bigint | undefined> {
  for await (const { revision } of log.read(stream, { direction: 'backwards', limit: 1 })) {
    return revision;
  }
  return undefined;
}

function isTransient(error: unknown): boolean {
  if (error instanceof CommandFailedError) return error.code !== 'outcome_unknown';
  return error instanceof Error && 'code' in error && error.code === 'unavailable';
}

export function writers(count: number): Writer[] {
  return Array.from({ length: count }, (_, index) => new Writer(`${index}`));
}

/** Each stream holds what its writer was told, once, in order, and nothing that was refused. */
export async function expectTruth(log: EventLog, all: readonly Writer[]): Promise<void> {
  for (const writer of all) {
    const stored: StoredEvent[] = [];
    const options = { direction: 'forwards', limit: 100_000 } as const;
    for await (const event of log.read(writer.stream, options)) stored.push(event);
    expect(stored.map(({ id }) => id)).toEqual(writer.acknowledged);
    expect(stored.map(({ revision }) => revision)).toEqual(stored.map((_, i) => BigInt(i)));
  }
}
