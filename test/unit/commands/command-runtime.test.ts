import { randomUUID } from 'node:crypto';
import { CommandFailedError } from '../../../src/commands/runtime/command-failed.js';
import { CommandRuntime } from '../../../src/commands/runtime/command-runtime.js';
import type { Timing } from '../../../src/commands/runtime/timing.js';
import { todoPolicySchema } from '../../../src/commands/policy.js';
import type { Receipt } from '../../../src/commands/receipt.js';
import { CommandRefusedError } from '../../../src/commands/refusals.js';
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
import type { EventLog, StoredEvent } from '../../../src/events/log/event-log.js';
import { MemoryEventLog } from '../../../src/testing/memory-event-log.js';
import { FaultyLog } from './faulty-log.js';

const session = { tenant: 'default', sessionId: 's1' };
const stream = 'agentSession-default.s1';
const list = (...contents: string[]) => contents.map((content) => ({ content, status: 'pending' }));

/** Sleeps at once, and lets time pass by what was slept. */
class FakeTiming implements Timing {
  time = 0;
  now = () => this.time;
  random = () => 0.5;
  sleep = async (ms: number) => {
    this.time += ms;
    await Promise.resolve();
  };
}

/** One process's worth: a runtime with a cache of its own over a log that it may share. */
function startRuntime(log: EventLog) {
  const timing = new FakeTiming();
  const sessions = new SessionTransactions(new CommandRuntime(log, { timing }));
  const policy = todoPolicySchema.parse({ allowParallelInProgress: false });
  const writer = new WriteTodosHandler(sessions, policy);
  const envelope = (commandId: string, more: Partial<CommandEnvelope> = {}): CommandEnvelope => ({
    actor: { kind: 'agent', subject: 'local' },
    commandId,
    ...more,
  });
  return {
    timing,
    start: (turnId: string, id: string = randomUUID(), supersede?: string | true) =>
      new StartTurnHandler(sessions).execute(
        new StartTurn(session, { turnId, supersede }, envelope(id)),
      ),
    write: (turnId: string, todos: unknown, id: string = randomUUID(), call = false) =>
      writer.execute(
        new WriteTodos(
          session,
          { turnId, todos },
          {
            ...envelope(id),
            repeats: call ? 'call' : 'key',
          },
        ),
      ),
    end: (
      turnId: string,
      outcome: 'completed' | 'failed' = 'completed',
      id: string = randomUUID(),
    ) =>
      new EndTurnHandler(sessions).execute(new EndTurn(session, { turnId, outcome }, envelope(id))),
    remove: (id: string = randomUUID()) =>
      new DeleteSessionHandler(sessions).execute(new DeleteSession(session, envelope(id))),
    fork: (sessionId: string, id: string = randomUUID()) =>
      new ForkSessionHandler(sessions).execute(
        new ForkSession(session, { sessionId }, envelope(id)),
      ),
  };
}

async function events(log: EventLog, name = stream): Promise<StoredEvent[]> {
  const found: StoredEvent[] = [];
  for await (const event of log.read(name, { direction: 'forwards', limit: 100_000 })) {
    found.push(event);
  }
  return found;
}

const types = async (log: EventLog) => (await events(log)).map((event) => event.type);
const code = async (attempt: Promise<unknown>) => {
  try {
    await attempt;
    return 'accepted';
  } catch (error) {
    if (error instanceof CommandRefusedError || error instanceof CommandFailedError) {
      return error.code;
    }
    throw error;
  }
};

let log: FaultyLog;
beforeEach(() => {
  log = new FaultyLog(new MemoryEventLog());
});
afterEach(() => log.close());

describe('a session through its commands', () => {
  it('stores what design.md 1 says, with metadata', async () => {
    const app = startRuntime(log);
    expect(await app.start('t1', 'k1')).toMatchObject({
      sessionId: 's1',
      turnId: 't1',
      revision: 1n,
    });
    const receipt = await app.write('t1', list('a', 'b'), 'k2');
    expect(receipt).toMatchObject({
      revision: 2n,
      counts: { pending: 2, inProgress: 0, completed: 0, total: 2 },
      hints: ['2 tasks remain and none is in progress.'],
    });
    await app.end('t1', 'completed', 'k3');
    await app.remove('k4');
    const stored = await events(log);
    expect(stored.map(({ type, data }) => ({ type, data }))).toEqual([
      { type: 'session/start', data: { origin: { kind: 'new' } } },
      { type: 'turn/start', data: { turnId: 't1' } },
      { type: 'todo/write', data: { turnId: 't1', todos: list('a', 'b') } },
      { type: 'turn/end', data: { turnId: 't1', outcome: 'completed' } },
      { type: 'session/delete', data: {} },
    ]);
    expect(stored[2]?.metadata).toEqual({
      $correlationId: 'default.s1',
      $causationId: 'k2',
      schemaVersion: 1,
      actor: { kind: 'agent', subject: 'local' },
    });
  });

  it('an absent turn id is the same for every retry', async () => {
    const { sessionId, turnId } = await new StartTurnHandler(
      new SessionTransactions(new CommandRuntime(log)),
    ).execute(
      new StartTurn(session, {}, { actor: { kind: 'agent', subject: 'x' }, commandId: 'k' }),
    );
    expect(sessionId).toBe('s1');
    expect(turnId).toMatch(/^turn-[0-9a-f]{32}$/);
  });

  it('a load does not go behind the latest turn', async () => {
    const app = startRuntime(log);
    for (let turn = 0; turn < 100; turn += 1) {
      await app.start(`t${turn}`);
      await app.end(`t${turn}`);
    }
    log.eventsRead = 0;
    await startRuntime(log).start('next');
    expect(log.eventsRead).toBe(2);
  });

  it('a turn with very many events is loaded right', async () => {
    const app = startRuntime(log);
    await app.start('t1', 'open');
    const first = await app.write('t1', list('first'), 'first');
    for (let i = 0; i < 300; i += 1) await app.write('t1', list(`item ${i}`));
    const fresh = startRuntime(log);
    expect(await fresh.write('t1', list('first'), 'first')).toEqual(first);
    expect(await code(fresh.start('t2'))).toBe('turn_already_open');
  });
});

describe('two runtimes over one log', () => {
  it('a stale cache never answers: a turn ended elsewhere is seen', async () => {
    const [one, two] = [startRuntime(log), startRuntime(log)];
    await one.start('t1');
    await two.end('t1');
    expect(await code(one.write('t1', list('a')))).toBe('turn_not_open');
    await two.start('t2');
    expect(await code(one.start('t3'))).toBe('turn_already_open');
    expect(await types(log)).toEqual(['session/start', 'turn/start', 'turn/end', 'turn/start']);
  });

  it('a stale cache never refuses: a turn started elsewhere is seen', async () => {
    const [one, two] = [startRuntime(log), startRuntime(log)];
    await one.start('t1');
    await one.end('t1');
    await two.start('t2');
    expect(await one.write('t2', list('a'))).toMatchObject({ revision: 4n });
  });

  it('a command id that came to the other one first is known, whatever the cache says', async () => {
    const [one, two] = [startRuntime(log), startRuntime(log)];
    await one.start('t1');
    const receipt = await two.write('t1', list('a'), 'k');
    // The cache of `one` ends at the turn start: its first decision is to append.
    expect(await one.write('t1', list('a'), 'k')).toEqual(receipt);
    expect(await code(one.write('t1', list('b'), 'k'))).toBe('idempotency_conflict');
    expect(await types(log)).toHaveLength(3);
  });

  it('the same under a call id: equal content is a retry, other content a new write', async () => {
    const [one, two] = [startRuntime(log), startRuntime(log)];
    await one.start('t1');
    const receipt = await two.write('t1', list('A'), 'call', true);
    expect(await one.write('t1', list('A'), 'call', true)).toEqual(receipt);
    await two.write('t1', list('B'), 'call', true);
    // `one` still holds the state after A.
    expect(await one.write('t1', list('A'), 'call', true)).toMatchObject({ revision: 4n });
    expect(await two.write('t1', list('A'), 'call', true)).toMatchObject({ revision: 4n });
    expect((await events(log)).slice(2).map((event) => event.data)).toEqual(
      ['A', 'B', 'A'].map((content) => ({ turnId: 't1', todos: list(content) })),
    );
  });

  it('of two StartTurns at once one wins', async () => {
    const apps = [startRuntime(log), startRuntime(log), startRuntime(log)];
    const codes = await Promise.all(apps.map((app, i) => code(app.start(`t${i}`))));
    expect(codes.sort()).toEqual(['accepted', 'turn_already_open', 'turn_already_open']);
  });

  it('20 writes at once: one of them stands, revisions are gap-free (checklist-reports 49)', async () => {
    const apps = [startRuntime(log), startRuntime(log)];
    await apps[0]?.start('t1');
    const receipts = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => apps[i % 2]?.write('t1', list(`list ${i}`))),
    );
    const revisions = receipts.map((receipt) => Number(receipt?.revision)).sort((a, b) => a - b);
    expect(revisions).toEqual(Array.from({ length: 20 }, (_, i) => i + 2));
  });
});

describe('repeated commands', () => {
  it('are known after a restart and after other writes', async () => {
    const app = startRuntime(log);
    await app.start('t1', 'start');
    const receipt = await app.write('t1', list('a'), 'write');
    await app.write('t1', list('b'));
    const ended = await app.end('t1', 'completed', 'end');
    const restarted = startRuntime(log);
    expect(await restarted.write('t1', list('a'), 'write')).toEqual(receipt);
    expect(await restarted.end('t1', 'completed', 'end')).toEqual(ended);
    expect(await restarted.start('t1', 'start')).toMatchObject({ turnId: 't1', revision: 1n });
    expect(await types(log)).toHaveLength(5);
  });

  it('from before the latest turn get its refusal, and nothing is appended', async () => {
    const app = startRuntime(log);
    await app.start('t1');
    await app.write('t1', list('a'), 'write');
    await app.end('t1', 'completed', 'end');
    await app.start('t2');
    expect(await code(app.write('t1', list('a'), 'write'))).toBe('turn_mismatch');
    expect(await code(app.end('t1', 'completed', 'end'))).toBe('turn_mismatch');
    expect(await types(log)).toHaveLength(5);
  });

  it('a refusal stores nothing and is decided afresh', async () => {
    const app = startRuntime(log);
    expect(await code(app.write('t1', list('a'), 'k'))).toBe('session_not_found');
    await app.start('t1');
    expect(await code(app.write('t1', list('a'), 'k'))).toBe('accepted');
  });

  it('a fork gives the same receipt however far the child went', async () => {
    const app = startRuntime(log);
    await app.start('t1');
    const receipt = await app.fork('child', 'k');
    expect(receipt).toMatchObject({ sessionId: 'child', turnId: null, revision: 0n });
    const child = { tenant: 'default', sessionId: 'child' };
    await new StartTurnHandler(new SessionTransactions(new CommandRuntime(log))).execute(
      new StartTurn(child, {}, { actor: { kind: 'agent', subject: 'x' }, commandId: 'c' }),
    );
    expect(await app.fork('child', 'k')).toEqual(receipt);
    expect(await code(app.fork('child', 'l'))).toBe('session_exists');
    expect(await types(log)).toEqual(['session/start', 'turn/start']);
  });
});

it('a fork may take an id whose stream holds only events of others', async () => {
  const app = startRuntime(log);
  await app.start('t1');
  const note = () => ({ id: randomUUID(), type: 'note', data: {}, metadata: {} });
  await log.append('agentSession-default.child', 'no_stream', [note(), note(), note()]);
  expect(await app.fork('child', 'k')).toMatchObject({ revision: 3n });
  expect(await app.fork('child', 'k')).toMatchObject({ revision: 3n });
  expect(await code(app.fork('child', 'other'))).toBe('session_exists');
});

describe('an unknown outcome', () => {
  it('of a stored append is settled by reading: done once', async () => {
    const app = startRuntime(log);
    log.faults = ['unknown-stored'];
    expect(await app.start('t1')).toMatchObject({ revision: 1n });
    log.faults = ['unknown-stored'];
    expect(await app.write('t1', list('a'))).toMatchObject({ revision: 2n });
    expect(await types(log)).toEqual(['session/start', 'turn/start', 'todo/write']);
  });

  it('of a lost append is settled by sending the same events again', async () => {
    const app = startRuntime(log);
    log.faults = ['unknown-lost', 'unknown-lost', 'unknown-stored'];
    expect(await app.start('t1')).toMatchObject({ revision: 1n });
    expect(await types(log)).toEqual(['session/start', 'turn/start']);
  });

  it("where another's event lies there instead, it is decided again", async () => {
    const [one, two] = [startRuntime(log), startRuntime(log.inner)];
    await one.start('t1');
    log.faults = [
      async () => {
        await two.end('t1');
        log.faults.unshift('unknown-lost');
      },
    ];
    log.faults.push('unknown-lost');
    expect(await code(one.write('t1', list('a')))).toBe('turn_not_open');
    expect(await types(log)).toEqual(['session/start', 'turn/start', 'turn/end']);
  });

  it('survives a store that is away for a while', async () => {
    const app = startRuntime(log);
    log.faults = ['unknown-lost', 'unavailable', 'unavailable', 'unavailable'];
    expect(await app.start('t1')).toMatchObject({ revision: 1n });
  });

  it('is said only when the log stays unreachable, and the retry finds the write', async () => {
    const app = startRuntime(log);
    await app.start('t1');
    log.faults = ['unknown-stored'];
    log.readsFail = true;
    expect(await code(app.write('t1', list('a'), 'k'))).toBe('outcome_unknown');
    expect(app.timing.time).toBeGreaterThanOrEqual(10_000);
    log.readsFail = false;
    expect(await app.write('t1', list('a'), 'k')).toMatchObject({ revision: 2n });
    expect(await types(log)).toHaveLength(3);
  });

  it('is not waited out where the log was closed', async () => {
    const app = startRuntime(log);
    log.faults = [
      async () => {
        await log.close();
        log.faults.unshift('unknown-lost');
      },
    ];
    expect(['outcome_unknown', 'store_unavailable']).toContain(await code(app.start('t1')));
    expect(app.timing.time).toBeLessThan(10_000);
  });
});

describe('a log that fails', () => {
  it('an unavailable store is said so, and nothing was stored', async () => {
    const app = startRuntime(log);
    log.faults = ['unavailable'];
    expect(await code(app.start('t1'))).toBe('store_unavailable');
    log.readsFail = true;
    expect(await code(app.start('t1'))).toBe('store_unavailable');
    log.readsFail = false;
    expect(await types(log)).toEqual([]);
    expect(await code(app.start('t1'))).toBe('accepted');
  });

  it('endless conflicts are contended', async () => {
    const [one, two] = [startRuntime(log), startRuntime(log.inner)];
    await one.start('t1');
    let n = 0;
    const interfere = async () => {
      n += 1;
      await two.write('t1', list(`other ${n}`));
      log.faults.push(interfere);
    };
    log.faults = [interfere];
    expect(await code(one.write('t1', list('mine')))).toBe('contended');
    log.faults = [];
    expect(await code(one.write('t1', list('mine')))).toBe('accepted');
  });

  it('too many commands at once are overloaded, not queued without bound', async () => {
    const runtime = new CommandRuntime(log, { maxPending: 2 });
    const sessions = new SessionTransactions(runtime);
    const start = (i: number) =>
      new StartTurnHandler(sessions).execute(
        new StartTurn(
          session,
          { supersede: true },
          {
            actor: { kind: 'agent', subject: 'x' },
            commandId: `k${i}`,
          },
        ),
      );
    const codes = await Promise.all([start(1), start(2), start(3)].map(code));
    expect(codes).toEqual(['accepted', 'accepted', 'overloaded']);
    expect(runtime.pending).toBe(0);
    await runtime.idle();
  });
});

describe('what comes with a command', () => {
  it.each([
    [{ tenant: 'Bad', sessionId: 's1' }, {}, 'tenant'],
    [{ tenant: 'default', sessionId: '-x' }, {}, 'sessionId'],
    [{ tenant: 'default', sessionId: 'x'.repeat(129) }, {}, 'sessionId'],
    [session, { commandId: '' }, 'commandId'],
    [session, { commandId: 'a b' }, 'commandId'],
    [session, { commandId: 'x'.repeat(256) }, 'commandId'],
  ])('%j %j is invalid_request at %s', async (at, more, path) => {
    const sessions = new SessionTransactions(new CommandRuntime(log));
    const command = new StartTurn(
      at,
      {},
      {
        actor: { kind: 'agent', subject: 'x' },
        commandId: 'k',
        ...more,
      },
    );
    const attempt: Promise<Receipt> = new StartTurnHandler(sessions).execute(command);
    await expect(attempt).rejects.toMatchObject({
      code: 'invalid_request',
      refusal: { errors: [{ path }] },
    });
  });
});

describe('a load', () => {
  it('passes over lists that a later one replaced, but not over what they were called', async () => {
    const app = startRuntime(log);
    await app.start('t1');
    const receipts = [];
    for (let i = 0; i < 5; i += 1) receipts.push(await app.write('t1', list(`item ${i}`), `k${i}`));
    const foreign = { id: randomUUID(), type: 'note', data: {}, metadata: {} };
    await log.append(stream, 6n, [foreign]);
    const fresh = startRuntime(log);
    for (const [i, receipt] of receipts.entries()) {
      expect(await fresh.write('t1', list(`item ${i}`), `k${i}`)).toEqual(receipt);
    }
    expect(await fresh.end('t1')).toMatchObject({ revision: 8n });
  });

  it('keeps the last list that can be read when a later one cannot', async () => {
    const app = startRuntime(log);
    await app.start('t1');
    await app.write('t1', list('a', 'b'));
    const broken = { id: randomUUID(), type: 'todo/write', data: { todos: 7 }, metadata: {} };
    await log.append(stream, 2n, [broken]);
    const sessions = new SessionTransactions(new CommandRuntime(log));
    expect(await sessions.read(session)).toMatchObject({
      kind: 'live',
      revision: 3n,
      counts: { total: 2 },
      writtenAt: 2n,
    });
  });
});
