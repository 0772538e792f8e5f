/** The stored bytes of every released version are still read as what they meant. */
import { createHash } from 'node:crypto';
import { sessionFold, writeTodosFingerprint } from '../../../src/commands/session/session-fold.js';
import { LoadedStream } from '../../../src/commands/runtime/loaded-stream.js';
import { SCHEMA_VERSION } from '../../../src/events/metadata.js';
import { parseMetadata, parseSessionEvent } from '../../../src/events/parse-session-event.js';
import {
  SESSION_DELETE,
  sessionEventData,
  TURN_OUTCOMES,
} from '../../../src/events/session-events.js';
import { sessionTodosProjection } from '../../../src/projections/session-todos/session-todos.projection.js';
import type { SessionTodosRow } from '../../../src/projections/session-todos/session-todos.row.js';
import { RELEASED } from './released-events.js';
import { asStoredEvent, fixtureVersions, readFixtures } from './stored-fixtures.js';

/** Of each version's fixtures, as they were when it was released. */
const DIGESTS: Readonly<Record<number, string>> = {
  1: '518e2ceae9933f9d51dbc96744da0dec000d2cc827b07d903a3107906f037734',
};

describe('the fixtures', () => {
  it('are there for every version up to the one that is written today', () => {
    const versions = Array.from({ length: SCHEMA_VERSION }, (_, index) => index + 1);
    expect(fixtureVersions()).toEqual(versions);
    expect([...RELEASED.keys()]).toEqual(versions);
  });

  it.each([...RELEASED.keys()])('version %i was never edited', (version) => {
    const digest = createHash('sha256');
    for (const [name, { stream, revision, type, data, metadata }] of readFixtures(version)) {
      digest.update(JSON.stringify([name, stream, revision, type, data, metadata]));
    }
    expect(digest.digest('hex')).toBe(DIGESTS[version]);
  });
});

describe.each([...RELEASED])('version %i', (version, released) => {
  const fixtures = readFixtures(version);
  const storedAs = (name: string) => {
    const fixture = fixtures.get(name);
    if (fixture === undefined) throw new Error(`no fixture ${name}`);
    return asStoredEvent(fixture);
  };

  it('has a meaning for each of its files', () => {
    expect(Object.keys(released).sort()).toEqual([...fixtures.keys()]);
  });

  it.each(Object.entries(released))('%s is read as what it meant', (name, event) => {
    expect(parseSessionEvent(storedAs(name))).toStrictEqual({ kind: 'event', event });
    expect(parseMetadata(storedAs(name))?.schemaVersion).toBe(version);
  });
});

describe('version 1', () => {
  const fixtures = readFixtures(1);
  const session = [...fixtures.values()].map(asStoredEvent).filter(({ stream }) => {
    return stream === 'agentSession-default.s1';
  });
  const upTo = (revision: bigint) => session.filter((event) => event.revision <= revision);

  const foldCommands = (revision: bigint) => {
    const loaded = new LoadedStream(sessionFold, sessionFold.initial);
    for (const event of upTo(revision)) loaded.add(event);
    return loaded;
  };
  const foldRow = (revision: bigint): SessionTodosRow =>
    upTo(revision).reduce<SessionTodosRow>((row, event) => {
      const next = sessionTodosProjection.evolve(row, event);
      if (next === null) throw new Error('the fold never removes a row');
      return next;
    }, sessionTodosProjection.initial);
  const timeAt = (revision: number): string =>
    new Date(Date.UTC(2026, 10, 30, 9, 0, revision)).toISOString();

  it('holds every type, every outcome and both origins', () => {
    const released = Object.values(RELEASED.get(1) ?? {});
    const types = new Set(released.map(({ type }) => type));
    expect([...types].sort()).toEqual(Object.keys(sessionEventData).sort());
    const outcomes = released.map(({ data }) => ('outcome' in data ? data.outcome : null));
    expect(outcomes).toEqual(expect.arrayContaining([...TURN_OUTCOMES]));
    const origins = released.map(({ data }) => ('origin' in data ? data.origin.kind : null));
    expect(origins).toEqual(expect.arrayContaining(['new', 'fork']));
  });

  it('says who did it, for what command, in which trace', () => {
    const metadata = [...fixtures].map(([name, fixture]) => {
      return [name, parseMetadata(asStoredEvent(fixture))] as const;
    });
    const base = { $correlationId: 'default.s1', schemaVersion: 1 };
    const actor = { kind: 'agent', subject: 'agent-7' };
    const of = (name: string) => metadata.find(([each]) => each === name)?.[1];
    expect(of('02-todo-write')).toStrictEqual({
      ...base,
      $causationId: 'command-2',
      actor,
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    });
    expect(of('03-todo-write-empty')).toStrictEqual({ ...base, $causationId: 'command-3', actor });
    expect(of('13-session-delete')).toStrictEqual({
      ...base,
      $causationId: 'command-13',
      actor: { kind: 'user', subject: 'person-1' },
    });
    expect(of('fork-00-session-start-fork')?.$correlationId).toBe('default.s1.fork');
  });

  it('is folded for commands', () => {
    expect(foldCommands(3n).state).toStrictEqual({
      kind: 'live',
      revision: 3n,
      turn: { id: 't1', ended: null },
      counts: { pending: 0, inProgress: 0, completed: 0, total: 0 },
      writtenAt: 3n,
    });
    expect(foldCommands(10n).state).toStrictEqual({
      kind: 'live',
      revision: 10n,
      turn: { id: 't4', ended: null },
      counts: { pending: 0, inProgress: 1, completed: 0, total: 1 },
      writtenAt: 10n,
    });
    expect(foldCommands(12n).state).toMatchObject({ turn: { id: 't5', ended: null } });
    expect(foldCommands(13n).state).toMatchObject({ kind: 'deleted', revision: 13n });
  });

  it('still knows the commands it came from, so that they can be repeated', async () => {
    const log = {
      async *read(_stream: string, { from = 0n }: { from?: bigint }) {
        await Promise.resolve();
        yield* upTo(12n).filter(({ revision }) => revision >= from);
      },
    };
    const loaded = foldCommands(12n);
    const known = (commandId: string) => loaded.known(log, 's', commandId);
    expect(await known('command-2')).toMatchObject({ revision: 2n });
    const write = RELEASED.get(1)?.['02-todo-write'];
    if (write?.type !== 'todo/write') throw new Error('no list');
    const { turnId, todos } = write.data;
    expect((await known('command-2'))?.fingerprint).toBe(writeTodosFingerprint(turnId, todos));
    expect(await known('command-11')).toMatchObject({
      revision: 12n,
      fingerprint: 'turn/start t5',
    });
  });

  it('is folded to the view that readers see', () => {
    expect(foldRow(2n)).toMatchObject({ state: 'current', revision: '2' });
    expect(foldRow(2n)).toHaveProperty('todos.length', 6);
    expect(foldRow(12n)).toStrictEqual({
      kind: 'session',
      state: 'cleared',
      todos: [],
      written: null,
      turn: { id: 't5', state: 'open', outcome: null },
      previous: {
        todos: [{ content: 'Left open', status: 'in_progress' }],
        turnId: 't4',
        revision: '10',
        outcome: 'superseded',
      },
      problems: 0,
      revision: '12',
      updatedAt: timeAt(12),
    });
    expect(foldRow(13n)).toStrictEqual({ kind: 'deleted', revision: '13', updatedAt: timeAt(13) });
    expect(session.at(-1)?.type).toBe(SESSION_DELETE);
  });
});
