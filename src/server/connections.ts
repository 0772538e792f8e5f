/**
 * Closes a server's connections in order: idle ones at once, busy ones when their answer is
 * out, all of them at a deadline. Node alone leaves two kinds open: a connection that was opened
 * and never used, and one that falls idle after the close has begun.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

const SWEEP_EVERY_MS = 20;

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
   * Lets connections go while `closing` runs.
   *
   * @param deadlineMs when those that still wait for an answer are cut
   */
  async drain(deadlineMs: number, closing: () => Promise<void>): Promise<void> {
    const sweep = setInterval(() => {
      this.closeIdle();
    }, SWEEP_EVERY_MS);
    const cut = setTimeout(() => {
      this.server.closeAllConnections();
    }, deadlineMs);
    try {
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
