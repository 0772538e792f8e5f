/** `after=`: waits until the read model has reached a position. */
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { formatPosition, type Position } from '../../events/log/position.js';
import { SessionTodos } from '../../projections/session-todos/session-todos.js';
import { Draining, stopping } from '../draining.js';
import { Problem } from '../problem/problem.js';

@Injectable()
export class ReadBarrier {
  constructor(
    private readonly todos: SessionTodos,
    private readonly draining: Draining,
  ) {}

  /**
   * Waits, at most `timeoutMs`; a client that leaves and a server that stops end the wait.
   *
   * @returns false when the position was not reached in time
   * @throws {Problem} the server is stopping
   */
  async reached(position: Position, timeoutMs: number, reply: FastifyReply): Promise<boolean> {
    this.draining.assertServing();
    const gone = new AbortController();
    const giveUp = (): void => {
      gone.abort();
    };
    const forget = this.draining.onBegin(giveUp);
    reply.raw.once('close', giveUp);
    try {
      if (await this.todos.reached(position, timeoutMs, gone.signal)) return true;
      if (this.draining.started) throw stopping();
      return false;
    } finally {
      forget();
      reply.raw.off('close', giveUp);
    }
  }
}

/** The read model has not come as far as the caller asked for. */
export function projectionBehind(position: Position): Problem {
  return new Problem(
    'projection_behind',
    `the read model has not reached ${formatPosition(position)} in time; ask again, or wait longer with timeoutMs`,
  );
}
