/** The checklist's read model, from a log to its readers, in files. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstValueFrom, toArray } from 'rxjs';
import type { EventLog } from '../../../src/events/log/event-log.js';
import { sessionStream, type SessionRef } from '../../../src/events/session-stream.js';
import { sqliteReadModels } from '../../../src/projections/read-model/sqlite/sqlite-read-models.js';
import type { RunnerOptions } from '../../../src/projections/runtime/consumer.js';
import type { LiveProjection } from '../../../src/projections/runtime/live-projection.js';
import type { LiveReaction } from '../../../src/projections/runtime/live-reaction.js';
import { ProjectionHost } from '../../../src/projections/runtime/projection-host.js';
import type { SessionSnapshot } from '../../../src/projections/session-todos/session-snapshot.js';
import { sessionTodosProjection } from '../../../src/projections/session-todos/session-todos.projection.js';
import type { SessionTodosRow } from '../../../src/projections/session-todos/session-todos.row.js';
import { SessionTodos } from '../../../src/projections/session-todos/session-todos.js';
import { truncateDeletedSessions } from '../../../src/projections/session-todos/truncate-deleted-sessions.js';
import { MemoryEventLog } from '../../../src/testing/memory-event-log.js';
import { tell } from '../../faults/projections/faulty-log.js';
import {
  end,
  list,
  remove,
  start,
  turn,
  write,
  type Told,
} from '../../unit/projections/session-scenario.js';

const session: SessionRef = { tenant: 'default', sessionId: 's1' };
const broken: Told = { type: 'turn/start', data: {} };

let directory: string;
let log: EventLog;
let host: ProjectionHost;
let projection: LiveProjection<SessionTodosRow>;
let reaction: LiveReaction;
let todos: SessionTodos;
let reports: string[];

async function launch(options: RunnerOptions = {}): Promise<void> {
  host = new ProjectionHost(log, sqliteReadModels(directory), {
    report: (message) => reports.push(message),
    ...options,
  });
  projection = host.project(sessionTodosProjection);
  reaction = host.react(truncateDeletedSessions(log));
  todos = new SessionTodos(projection);
  await host.start();
}

/** Appends, and waits until the read model shows it. */
async function told(...events: Told[]): Promise<void> {
  const position = await tell(log, sessionStream(session), ...events);
  expect(await todos.reached(position, 5_000)).toBe(true);
}

async function present(): Promise<Extract<SessionSnapshot, { state: 'present' }>> {
  const snapshot = await todos.snapshot(session);
  if (snapshot?.state !== 'present') throw new Error('there is no such session');
  return snapshot;
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'planlog-projections-'));
  log = new MemoryEventLog();
  reports = [];
  await launch();
  await host.caughtUp();
});

afterEach(async () => {
  await host.stop();
  await log.close();
  rmSync(directory, { recursive: true, force: true });
});

describe('session-todos', () => {
  it('serves what was written, also after a restart, and goes on from there', async () => {
    expect(await todos.snapshot(session)).toBeUndefined();
    await told(start, turn('t1'), write('t1', 'I:a', 'P:b'));
    expect((await present()).view).toMatchObject({ revision: '2', todos: list('I:a', 'P:b') });
    await host.stop();
    await tell(log, sessionStream(session), write('t1', 'C:a'), end('t1', 'completed'));
    await launch();
    await host.caughtUp();
    expect((await present()).view).toMatchObject({ revision: '4', activity: 'finished' });
  });

  it('hands on every event of one batch, revisions rising, to a listener that came before the session', async () => {
    const heard: SessionSnapshot[] = [];
    const leave = todos.subscribe(session, (snapshot) => heard.push(snapshot));
    todos.subscribe(session, () => {
      throw new Error('a broken listener');
    });
    await told(start, turn('t1'), write('t1', 'P:a'), write('t1', 'C:a'));
    expect(heard.map(({ revision }) => revision)).toEqual([0n, 1n, 2n, 3n]);
    // The last one is the very one that readers get: its JSON is made once.
    expect(heard.at(-1)).toBe(await present());
    expect(reports).toHaveLength(4);
    leave();
    await told(write('t1'));
    expect(heard).toHaveLength(4);
  });

  it('tells changes as an Observable: the current view, each change, the end', async () => {
    await told(start, turn('t1'), write('t1', 'P:a'));
    const seen = firstValueFrom(todos.changes(session).pipe(toArray()));
    await told(write('t1', 'C:a'), end('t1', 'completed'));
    // Apart: the reaction may remove what lies before the deletion before it is folded.
    await told(turn('t2'));
    await told(remove);
    expect((await seen).map(({ revision, state }) => `${revision} ${state}`)).toEqual([
      '2 current',
      '3 current',
      '4 current',
      '5 cleared',
    ]);
    expect(await firstValueFrom(todos.changes(session).pipe(toArray()))).toEqual([]);
  });

  it('parks a session at an event it cannot read, lets others flow, and counts it', async () => {
    await told(start, turn('t1'), write('t1', 'P:a'), end('t1', 'completed'), broken);
    await told(write('t9', 'P:ghost'));
    const snapshot = await present();
    expect(snapshot).toMatchObject({ parked: true, epoch: 1, revision: 3n });
    expect(snapshot.view.todos).toEqual(list('P:a'));
    const other = await tell(log, 'agentSession-default.s2', start);
    expect(await todos.reached(other, 5_000)).toBe(true);
    expect(await host.statuses()).toMatchObject([{ parked: 1, state: 'live' }, { parked: 0 }]);
    await told(remove);
    expect(await todos.snapshot(session)).toEqual({ state: 'deleted', revision: 6n, epoch: 1 });
    expect(await host.statuses()).toMatchObject([{ parked: 0 }, {}]);
  });

  it('knows no session whose only event was discarded, until it has another', async () => {
    await told({ type: 'session/start', data: {} });
    expect(await present()).toMatchObject({ parked: true });
    await projection.discard('default.s1');
    expect(await todos.snapshot(session)).toBeUndefined();
    const heard: SessionSnapshot[] = [];
    todos.subscribe(session, (snapshot) => heard.push(snapshot));
    await told(turn('t1'));
    expect(heard).toMatchObject([{ revision: 1n, epoch: 2, parked: false }]);
  });

  it('answers a wait at once after the stop, and refuses to read', async () => {
    const position = await tell(log, sessionStream(session), start);
    await host.stop();
    expect(await todos.reached({ ...position, commit: 99n }, 5_000)).toBe(false);
    await expect(todos.snapshot(session)).rejects.toMatchObject({ code: 'projection_not_started' });
  });

  it('ends waits that are open when it stops', async () => {
    const waiting = todos.reached({ commit: 99n, prepare: 99n }, 60_000);
    await host.stop();
    expect(await waiting).toBe(false);
  });

  it('refuses to mix two logs: it stops, says so, and serves nothing', async () => {
    await told(start);
    await host.stop();
    await log.close();
    log = new MemoryEventLog();
    await launch();
    await expect(host.caughtUp()).rejects.toMatchObject({ code: 'checkpoint_mismatch' });
    const [status] = await host.statuses();
    expect(status).toMatchObject({ state: 'stopped' });
    expect(status?.problem).toContain('rebuild');
    // What it holds is of another history.
    await expect(present()).rejects.toMatchObject({ code: 'projection_refused' });
  });

  it('does not start on a damaged file, and leaves nothing running', async () => {
    await host.stop();
    const file = join(directory, 'truncate-deleted-sessions.v1.g1.db');
    writeFileSync(file, 'not a database');
    await expect(launch()).rejects.toThrow(`delete ${file}`);
    expect(await host.statuses()).toMatchObject([{ state: 'stopped' }, { state: 'stopped' }]);
  });

  it('takes no second thing of one name, nor any after the start', () => {
    expect(() => host.project(sessionTodosProjection)).toThrow(TypeError);
    const other = new ProjectionHost(log, sqliteReadModels(directory));
    other.project(sessionTodosProjection);
    expect(() => other.project(sessionTodosProjection)).toThrow('already');
  });
});

describe('truncate-deleted-sessions', () => {
  it('removes what a deleted session held, and the tombstone can be built from the rest', async () => {
    await told(start, turn('t1'), write('t1', 'P:secret'));
    const position = await tell(log, sessionStream(session), remove);
    expect(await reaction.reached(position, 5_000)).toBe(true);
    const left: string[] = [];
    const read = log.read(sessionStream(session), { direction: 'forwards', limit: 10 });
    for await (const { type } of read) left.push(type);
    expect(left).toEqual(['session/delete']);
    await host.stop();
    rmSync(join(directory, 'session-todos.v1.g1.db'));
    for (const end of ['-wal', '-shm']) {
      rmSync(join(directory, `session-todos.v1.g1.db${end}`), { force: true });
    }
    await launch();
    await host.caughtUp();
    expect(await todos.snapshot(session)).toMatchObject({ state: 'deleted', revision: 3n });
  });

  it('does so at the next start, where the process died in between', async () => {
    await told(start, turn('t1'));
    await host.stop();
    await tell(log, sessionStream(session), remove);
    await launch();
    await host.caughtUp();
    const left: bigint[] = [];
    const read = log.read(sessionStream(session), { direction: 'forwards', limit: 10 });
    for await (const { revision } of read) left.push(revision);
    expect(left).toEqual([2n]);
  });
});

it('commits at once what somebody waits for, however long events may gather', async () => {
  await host.stop();
  await launch({ gatherMs: 60_000 });
  await told(start);
  await told(turn('t1'));
  const position = await tell(log, sessionStream(session), write('t1', 'P:a'));
  expect(await todos.reached(position, 5_000)).toBe(true);
  expect(await reaction.reached(position, 5_000)).toBe(true);
  expect((await present()).revision).toBe(2n);
});
