/** The commands whose events are the fixtures of version 1, and how to let today's code run them. */
import { CommandRuntime } from '../../../src/commands/runtime/command-runtime.js';
import { todoPolicySchema } from '../../../src/commands/policy.js';
import { DeleteSessionHandler } from '../../../src/commands/session/handlers/delete-session.handler.js';
import { EndTurnHandler } from '../../../src/commands/session/handlers/end-turn.handler.js';
import { ForkSessionHandler } from '../../../src/commands/session/handlers/fork-session.handler.js';
import { StartTurnHandler } from '../../../src/commands/session/handlers/start-turn.handler.js';
import {
  DeleteSession,
  EndTurn,
  ForkSession,
  StartTurn,
  WriteTodos,
  type CommandEnvelope,
} from '../../../src/commands/session/session-commands.js';
import { SessionTransactions } from '../../../src/commands/session/session-transactions.js';
import { WriteTodosHandler } from '../../../src/commands/todo-write/write-todos.handler.js';
import type { EventLog } from '../../../src/events/log/event-log.js';
import type { TurnOutcome } from '../../../src/events/session-events.js';
import type { Todo } from '../../../src/events/todo.js';

const session = { tenant: 'default', sessionId: 's1' };
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** Text that a careless writer would change: line breaks, tabs, quotes, letters of every plane. */
const AWKWARD: readonly Todo[] = [
  { content: 'Read the plan:\n1. parts\n2. order', status: 'completed' },
  { content: 'Compare\ta and\tb', status: 'in_progress' },
  { content: 'Ship it \u{1F680} with \u{1F469}\u200D\u{1F469}\u200D\u{1F467}', status: 'pending' },
  { content: 'Cafe\u0301, decomposed', status: 'pending' },
  { content: 'Quote " and \\ and / and <b>&amp;</b>', status: 'pending' },
  { content: 'Line\u2028separator, \u6F22\u5B57', status: 'pending' },
];

/** Runs them in order, and stores what today's code makes of them. */
export async function writeReleasedSession(log: EventLog): Promise<void> {
  const sessions = new SessionTransactions(new CommandRuntime(log));
  const starts = new StartTurnHandler(sessions);
  const policy = todoPolicySchema.parse({ allowParallelInProgress: false });
  const writes = new WriteTodosHandler(sessions, policy);
  const ends = new EndTurnHandler(sessions);
  let count = 0;
  const envelope = (more: Partial<CommandEnvelope> = {}): CommandEnvelope => {
    count += 1;
    return { actor: { kind: 'agent', subject: 'agent-7' }, commandId: `command-${count}`, ...more };
  };
  const start = (turnId: string, supersede?: string) =>
    starts.execute(new StartTurn(session, { turnId, supersede }, envelope()));
  const write = (turnId: string, todos: readonly Todo[], more?: Partial<CommandEnvelope>) =>
    writes.execute(new WriteTodos(session, { turnId, todos }, envelope(more)));
  const end = (turnId: string, outcome: Exclude<TurnOutcome, 'superseded'>) =>
    ends.execute(new EndTurn(session, { turnId, outcome }, envelope()));

  await start('t1');
  await write('t1', AWKWARD, { traceparent: TRACEPARENT });
  await write('t1', []);
  await end('t1', 'completed');
  await start('t2');
  await end('t2', 'aborted');
  await start('t3');
  await end('t3', 'failed');
  await start('t4');
  await write('t4', [{ content: 'Left open', status: 'in_progress' }]);
  await start('t5', 't4');
  await new ForkSessionHandler(sessions).execute(
    new ForkSession(session, { sessionId: 's1.fork' }, envelope()),
  );
  const person = { kind: 'user', subject: 'person-1' } as const;
  await new DeleteSessionHandler(sessions).execute(
    new DeleteSession(session, envelope({ actor: person })),
  );
}
