/** The tool over a real command runtime and a log in memory. */
import type { CommandBus } from '@nestjs/cqrs';
import { todoPolicySchema } from '../../../../src/commands/policy.js';
import { CommandRuntime } from '../../../../src/commands/runtime/command-runtime.js';
import { StartTurnHandler } from '../../../../src/commands/session/handlers/start-turn.handler.js';
import { StartTurn, type WriteTodos } from '../../../../src/commands/session/session-commands.js';
import { SessionTransactions } from '../../../../src/commands/session/session-transactions.js';
import { TodoWriteTool } from '../../../../src/commands/todo-write/tool/call-todo-write.js';
import { WriteTodosHandler } from '../../../../src/commands/todo-write/write-todos.handler.js';
import type { ActorKind } from '../../../../src/events/metadata.js';
import { MemoryEventLog } from '../../../../src/testing/memory-event-log.js';

export const session = { tenant: 'default', sessionId: 's1' };

export async function openTool({ allowParallelInProgress = false, withTurn = true } = {}) {
  const log = new MemoryEventLog();
  const sessions = new SessionTransactions(new CommandRuntime(log));
  const handler = new WriteTodosHandler(
    sessions,
    todoPolicySchema.parse({ allowParallelInProgress }),
  );
  const bus = { execute: (command: WriteTodos) => handler.execute(command) };
  // The tool sends one kind of command: its handler is all the bus it needs.
  const tool = new TodoWriteTool(bus as unknown as CommandBus, sessions);
  const start = (turnId: string) =>
    new StartTurnHandler(sessions).execute(
      new StartTurn(
        session,
        { turnId, supersede: true },
        {
          actor: { kind: 'agent', subject: 'local' },
          commandId: `start-${turnId}`,
        },
      ),
    );
  if (withTurn) await start('t1');
  return {
    log,
    start,
    call: (
      raw: unknown,
      {
        turnId = 't1',
        callId = 'call',
        kind = 'agent',
        ifMatch,
      }: {
        turnId?: string;
        callId?: string;
        kind?: ActorKind;
        ifMatch?: readonly bigint[];
      } = {},
    ) =>
      tool.call(
        session,
        { turnId, arguments: raw },
        {
          actor: { kind, subject: 'local' },
          commandId: callId,
          ifMatch,
        },
      ),
    /** The lists that were stored, in order. */
    async written(): Promise<unknown[]> {
      const lists: unknown[] = [];
      const options = { direction: 'forwards', limit: 1_000 } as const;
      for await (const { type, data } of log.read('agentSession-default.s1', options)) {
        if (type === 'todo/write') lists.push((data as { todos: unknown }).todos);
      }
      return lists;
    },
  };
}
