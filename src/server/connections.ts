/**
 * Closes a server's connections in order: idle ones at once, busy ones when their answer is
 * out, all of them at a deadline. Node alone leaves two kinds open: a connection that was opened
 * and never used, and one that falls idle after the close has begun.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

const SWEEP_EVERY_MS = 20;
/** How long connections stay open, so that what clients had sent by then is read. A connection
 * that is closed with a request unread is reset, and the client cannot know what came of it. */
const ARRIVE_MS = 100;

export class Connections {
  /** Opened, and no request has come yet. */
  private readonly unused = new Set<Socket>();

  constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => {
      this.unused.add(socket);
      socket.once('close', () => {
        this.unused.delete(socket);
      });
    });
    server.on('request', ({ socket }: IncomingMessage) => {
      this.unused.delete(socket);
    });
  }

  /**
   * Waits a moment for requests that are under way, which must be answered with
   * `Connection: close` by now; then lets connections go while `closing` runs.
   *
   * @param deadlineMs when those that still wait for an answer are cut
   */
  async drain(deadlineMs: number, closing: () => Promise<void>): Promise<void> {
    let sweep: NodeJS.Timeout | undefined;
    const cut = setTimeout(() => {
      this.server.closeAllConnections();
    }, deadlineMs);
    try {
      await delay(ARRIVE_MS);
      // A busy server comes to its timers first, and to its sockets after that.
      await nextTurn();
      sweep = setInterval(() => {
        this.closeIdle();
      }, SWEEP_EVERY_MS);
      this.closeIdle();
      await closing();
    } finally {
      clearInterval(sweep);
      clearTimeout(cut);
    }
  }

  private closeIdle(): void {
    this.server.closeIdleConnections();
    for (const socket of this.unused) socket.destroy();
  }
}
