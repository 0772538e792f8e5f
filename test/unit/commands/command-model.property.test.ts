/**
 * Random commands, with keys used again, through two runtimes that share a log which loses
 * answers: what is accepted, refused and stored equals a model written as plainly as possible.
 */
import fc from 'fast-check';
import { CommandRuntime } from '../../../src/commands/runtime/command-runtime.js';
import { todoPolicySchema } from '../../../src/commands/policy.js';
import { CommandRefusedError } from '../../../src/commands/refusals.js';
import { DeleteSessionHandler } from '../../../src/commands/session/handlers/delete-session.handler.js';
import { EndTurnHandler } from '../../../src/commands/session/handlers/end-turn.handler.js';
import { StartTurnHandler } from '../../../src/commands/session/handlers/start-turn.handler.js';
import {
  DeleteSession,
  EndTurn,
  StartTurn,
  WriteTodos,
} from '../../../src/commands/session/session-commands.js';
import { SessionTransactions } from '../../../src/commands/session/session-transactions.js';
import { WriteTodosHandler } from '../../../src/commands/todo-write/write-todos.handler.js';
import type { StoredEvent } from '../../../src/events/log/event-log.js';
import { MemoryEventLog } from '../../../src/testing/memory-event-log.js';
import { FaultyLog, type AppendFault } from './faulty-log.js';

const session = { tenant: 'default', sessionId: 's1' };

type Step = {
  readonly runtime: 0 | 1;
  readonly fault: AppendFault | undefined;
  readonly key: string;
  readonly ifMatch: bigint | undefined;
} & (
  | { readonly do: 'start'; readonly turn: string; readonly supersede: string | true | undefined }
  | { readonly do: 'write' | 'call'; readonly turn: string; readonly list: string }
  | { readonly do: 'end'; readonly turn: string; readonly outcome: 'completed' | 'failed' }
  | { readonly do: 'delete' }
);

interface ModelEvent {
  readonly type: string;
  readonly turn: string;
  /** The list, or the outcome. */
  readonly what: string;
  readonly key: string;
}

/** The rules of design.md 2 over the whole history, with no thought for speed. */
class Model {
  readonly events: ModelEvent[] = [];

  run(step: Step): string {
    const { events } = this;
    const last = events.at(-1);
    if (last?.type === 'delete') {
      return step.do === 'delete' ? `done ${events.length - 1}` : 'session_deleted';
    }
    if (last === undefined && step.do !== 'start') return 'session_not_found';
    const from = events.findLastIndex((event) => event.type === 'start');
    const turn = events[from];
    const ended = events.findIndex((event, i) => i > from && event.type === 'end');
    const open = turn !== undefined && ended < 0 ? turn.turn : undefined;
    const repeated = from < 0 ? undefined : this.#repeated(step, from);
    if (repeated !== undefined) return repeated;
    const stale = step.ifMatch !== undefined && Number(step.ifMatch) !== events.length - 1;
    switch (step.do) {
      case 'start':
        if (open !== undefined && step.supersede === undefined) return 'turn_already_open';
        if (open !== undefined && step.supersede !== true && step.supersede !== open) {
          return 'turn_mismatch';
        }
        if (turn?.turn === step.turn) return 'turn_id_reused';
        if (stale) return 'revision_conflict';
        if (last === undefined) this.#add(step.key, 'born');
        if (open !== undefined) this.#add(step.key, 'end', open, 'superseded');
        return this.#add(step.key, 'start', step.turn);
      case 'end':
        if (ended >= 0 && turn?.turn === step.turn && events[ended]?.what === step.outcome) {
          return `done ${ended}`;
        }
        return (
          this.#inTurn(open, step.turn, stale) ??
          this.#add(step.key, 'end', step.turn, step.outcome)
        );
      case 'write':
      case 'call':
        return (
          this.#inTurn(open, step.turn, stale) ?? this.#add(step.key, 'write', step.turn, step.list)
        );
      case 'delete':
        return stale ? 'revision_conflict' : this.#add(step.key, 'delete');
    }
  }

  #repeated(step: Step, from: number): string | undefined {
    const at = this.events.findLastIndex((event, i) => i >= from && event.key === step.key);
    const before = this.events[at];
    if (before === undefined) return undefined;
    const type = step.do === 'call' ? 'write' : step.do;
    const what = 'list' in step ? step.list : 'outcome' in step ? step.outcome : '';
    const turn = 'turn' in step ? step.turn : '';
    const same = before.type === type && before.turn === turn && before.what === what;
    if (step.do !== 'call') return same ? `done ${at}` : 'idempotency_conflict';
    const latest = this.events.findLastIndex((event) => event.type === 'write');
    return same && at === latest ? `done ${at}` : undefined;
  }

  #inTurn(open: string | undefined, turn: string, stale: boolean): string | undefined {
    if (open === undefined) return 'turn_not_open';
    if (open !== turn) return 'turn_mismatch';
    return stale ? 'revision_conflict' : undefined;
  }

  #add(key: string, type: string, turn = '', what = ''): string {
    this.events.push({ key, type, turn, what });
    return `done ${this.events.length - 1}`;
  }
}

const steps: fc.Arbitrary<Step> = fc
  .record({
    runtime: fc.constantFrom(0, 1),
    fault: fc.option(fc.constantFrom<AppendFault>('unknown-stored', 'unknown-lost'), {
      nil: undefined,
      freq: 3,
    }),
    key: fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom('k1', 'k2', 'k3') },
      { weight: 3, arbitrary: fc.uuid() },
    ),
    ifMatch: fc.option(fc.bigInt(0n, 8n), { nil: undefined, freq: 6 }),
  })
  .chain((base) => {
    const turn = fc.constantFrom('t1', 't1', 't1', 't2');
    const list = fc.constantFrom('A', 'B');
    return fc
      .oneof(
        {
          weight: 3,
          arbitrary: fc.record({
            do: fc.constant('start' as const),
            turn,
            supersede: fc.oneof(fc.constant(undefined), fc.constant(true as const), turn),
          }),
        },
        { weight: 12, arbitrary: fc.record({ do: fc.constantFrom('write', 'call'), turn, list }) },
        {
          weight: 2,
          arbitrary: fc.record({
            do: fc.constant('end' as const),
            turn,
            outcome: fc.constantFrom('completed', 'failed'),
          }),
        },
        { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const) }) },
      )
      .map((action) => ({ ...base, ...action }));
  });

function startRuntime(log: FaultyLog) {
  const timing = { now: () => 0, sleep: () => Promise.resolve(), random: () => 0 };
  const sessions = new SessionTransactions(new CommandRuntime(log, { timing }));
  const start = new StartTurnHandler(sessions);
  const write = new WriteTodosHandler(
    sessions,
    todoPolicySchema.parse({ allowParallelInProgress: false }),
  );
  const end = new EndTurnHandler(sessions);
  const remove = new DeleteSessionHandler(sessions);
  return async (step: Step): Promise<string> => {
    const envelope = {
      actor: { kind: 'agent', subject: 'local' },
      commandId: step.key,
      ifMatch: step.ifMatch === undefined ? undefined : [step.ifMatch],
    } as const;
    log.faults = step.fault === undefined ? [] : [step.fault];
    try {
      const receipt = await (() => {
        switch (step.do) {
          case 'start':
            return start.execute(
              new StartTurn(session, { turnId: step.turn, supersede: step.supersede }, envelope),
            );
          case 'end':
            return end.execute(
              new EndTurn(session, { turnId: step.turn, outcome: step.outcome }, envelope),
            );
          case 'delete':
            return remove.execute(new DeleteSession(session, envelope));
          default:
            return write.execute(
              new WriteTodos(
                session,
                { turnId: step.turn, todos: [{ content: step.list, status: 'pending' }] },
                { ...envelope, repeats: step.do === 'call' ? 'call' : 'key' },
              ),
            );
        }
      })();
      return `done ${receipt.revision}`;
    } catch (error) {
      if (error instanceof CommandRefusedError) return error.code;
      throw error;
    }
  };
}

const shortNames: Readonly<Record<string, string>> = {
  'session/start': 'born',
  'turn/start': 'start',
  'todo/write': 'write',
  'turn/end': 'end',
  'session/delete': 'delete',
};

it('the command runtime behaves as the model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 40, size: 'max' }), async (script) => {
      const model = new Model();
      const log = new FaultyLog(new MemoryEventLog());
      const runtimes = [startRuntime(log), startRuntime(log)];
      for (const step of script) {
        expect(await runtimes[step.runtime]?.(step)).toBe(model.run(step));
      }
      const stored: StoredEvent[] = [];
      const options = { direction: 'forwards', limit: 1_000 } as const;
      for await (const event of log.read('agentSession-default.s1', options)) stored.push(event);
      expect(stored.map((event) => shortNames[event.type])).toEqual(
        model.events.map((event) => event.type),
      );
      await log.close();
    }),
    { numRuns: 200 },
  );
});
