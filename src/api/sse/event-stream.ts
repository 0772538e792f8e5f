/**
 * One open SSE response, written to the raw reply. A client that does not read is coalesced:
 * while its buffer is full only the newest frame is kept, never a queue.
 */
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** How long a client may take to read the end of its stream. */
const END_GRACE_MS = 5_000;
/** Finds out that a peer is gone although nothing can be written to it. */
const KEEP_ALIVE_MS = 30_000;
const COMMENT = Buffer.from(': keep-alive\n\n');

/** Headers of every SSE answer. */
export const EVENT_STREAM_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
} as const;

/** A frame as bytes: encoded once, however many clients get it. */
export function encodeFrame(event: string, id: string | undefined, json: string): Buffer {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  // JSON text has no line ends of its own.
  return Buffer.from(`event: ${event}\n${idLine}data: ${json}\n\n`);
}

/**
 * Sets where a client resumes, and tells it nothing: with no data it is no event. It begins like
 * a comment for clients that read no further.
 */
export function encodeResumePoint(id: string): Buffer {
  return Buffer.from(`: from here on\nid: ${id}\n\n`);
}

export class EventStream {
  /** Who asked for it. */
  readonly request: FastifyRequest;
  private readonly raw: ServerResponse;
  /** The newest frame that a full buffer holds back; made only when it is written. */
  private waiting: (() => Buffer) | undefined;
  private blocked = false;
  private ended = false;
  private closed = false;
  private readonly closeListeners: (() => void)[] = [];
  private readyListener: (() => void) | undefined;
  private endTimer: NodeJS.Timeout | undefined;

  /** Takes the reply over from Fastify and sends the headers. */
  constructor(reply: FastifyReply) {
    reply.hijack();
    this.request = reply.request;
    this.raw = reply.raw;
    // A pipelined response that never gets its turn does not close with its connection.
    const socket = reply.request.raw.socket;
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.once('close', this.onClose);
    this.raw.on('drain', this.onDrain);
    this.raw.once('close', this.onClose);
    // A reset while writing: `close` follows.
    this.raw.on('error', ignore);
    this.raw.writeHead(200, { ...passedOn(reply), ...EVENT_STREAM_HEADERS });
    this.raw.flushHeaders();
    if (socket.destroyed) this.onClose();
  }

  /** True until the connection is gone or the stream was ended. */
  get open(): boolean {
    return !this.ended && !this.closed;
  }

  /** True while the client takes in what is sent. */
  get ready(): boolean {
    return this.open && !this.blocked;
  }

  /** Calls back once when the connection is gone, at once where it is. */
  onceClosed(listener: () => void): void {
    if (this.closed) listener();
    else this.closeListeners.push(listener);
  }

  /** Sends a frame, or keeps it in place of the one that still waits. */
  send(frame: () => Buffer): void {
    if (!this.open) return;
    if (this.blocked) this.waiting = frame;
    else this.write(frame());
  }

  /**
   * Sends a frame only where the client has taken in those before it. For streams that can read
   * what they have to say again, and so need not keep it.
   *
   * @returns false when it was not sent: {@link onceReady} tells when to try again
   */
  offer(frame: Buffer): boolean {
    if (!this.ready) return false;
    this.write(frame);
    return true;
  }

  /** Calls back once, when the client has taken in what was sent. The last one asked is called. */
  onceReady(listener: () => void): void {
    this.readyListener = listener;
  }

  /** Keeps proxies from closing a quiet stream. */
  comment(): void {
    if (this.open && !this.blocked) this.write(COMMENT);
  }

  /** Ends the stream, with a last frame where there is one. What waits is dropped. */
  end(lastFrame?: Buffer): void {
    if (!this.open) return;
    this.ended = true;
    this.waiting = undefined;
    this.raw.end(lastFrame);
    this.endTimer = setTimeout(() => {
      this.destroy();
    }, END_GRACE_MS).unref();
  }

  /** Cuts the connection. */
  destroy(): void {
    this.raw.destroy();
    this.onClose();
  }

  private write(frame: Buffer): void {
    this.blocked = !this.raw.write(frame);
  }

  private readonly onDrain = (): void => {
    this.blocked = false;
    const frame = this.waiting;
    this.waiting = undefined;
    if (frame !== undefined && this.open) this.write(frame());
    const ready = this.readyListener;
    this.readyListener = undefined;
    ready?.();
  };

  private readonly onClose = (): void => {
    if (this.closed) return;
    this.closed = true;
    this.waiting = undefined;
    this.readyListener = undefined;
    clearTimeout(this.endTimer);
    this.raw.req.socket.off('close', this.onClose);
    this.raw.off('close', this.onClose);
    this.raw.off('drain', this.onDrain);
    for (const listener of this.closeListeners) listener();
    this.closeListeners.length = 0;
  };
}

/** Headers that hooks have set on the reply, such as CORS; a hijacked reply would lose them. */
function passedOn(reply: FastifyReply): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value : String(value);
  }
  return headers;
}

function ignore(): void {
  // Nothing to do.
}
