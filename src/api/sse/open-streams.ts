/**
 * All open SSE streams: one timer keeps them alive, and shutdown ends every one of them, first
 * politely, then for certain (faults.md C 49).
 */
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Draining } from '../draining.js';
import { RequestIdentity } from '../request/request-identity.js';
import type { EventStream } from './event-stream.js';

const COMMENT_EVERY_MS = 15_000;
/** How long clients get to take in the end of their stream when the server stops. */
const END_WITHIN_MS = 400;

@Injectable()
export class OpenStreams implements BeforeApplicationShutdown {
  private readonly streams = new Set<EventStream>();
  private timer: NodeJS.Timeout | undefined;
  private allClosed: (() => void) | undefined;

  constructor(
    draining: Draining,
    private readonly identity: RequestIdentity,
  ) {
    draining.onBegin(() => {
      for (const stream of this.streams) stream.end();
    });
  }

  /** How many connections there are. */
  get size(): number {
    return this.streams.size;
  }

  /** Keeps the stream alive until its connection is gone, or its caller's token ends. */
  add(stream: EventStream): void {
    const { expiresAt } = this.identity.of(stream.request);
    if (expiresAt !== undefined) endAt(stream, expiresAt);
    this.streams.add(stream);
    this.timer ??= setInterval(() => {
      for (const each of this.streams) each.comment();
    }, COMMENT_EVERY_MS).unref();
    stream.onceClosed(() => {
      this.remove(stream);
    });
  }

  /** Runs before the server closes its connections: none of them is a stream then. */
  async beforeApplicationShutdown(): Promise<void> {
    if (this.streams.size === 0) return;
    let deadline: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.allClosed = resolve;
      deadline = setTimeout(resolve, END_WITHIN_MS);
    });
    clearTimeout(deadline);
    for (const stream of this.streams) stream.destroy();
  }

  private remove(stream: EventStream): void {
    this.streams.delete(stream);
    if (this.streams.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
    this.allClosed?.();
  }
}

/** Timers hold 31 bits of milliseconds; a token may live longer. */
const LONGEST_TIMER_MS = 2_147_483_647;

function endAt(stream: EventStream, moment: number): void {
  const left = moment - Date.now();
  const timer = setTimeout(
    () => {
      if (left > LONGEST_TIMER_MS) endAt(stream, moment);
      else stream.end();
    },
    Math.min(left, LONGEST_TIMER_MS),
  ).unref();
  stream.onceClosed(() => {
    clearTimeout(timer);
  });
}
