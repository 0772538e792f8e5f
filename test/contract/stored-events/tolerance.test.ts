/** What a stream may hold beside our own events, and beside what we know of them. */
import { LoadedStream } from '../../../src/commands/runtime/loaded-stream.js';
import { sessionFold } from '../../../src/commands/session/session-fold.js';
import type { StoredEvent } from '../../../src/events/log/event-log.js';
import { parseMetadata, parseSessionEvent } from '../../../src/events/parse-session-event.js';
import { sessionTodosProjection } from '../../../src/projections/session-todos/session-todos.projection.js';
import type { SessionTodosRow } from '../../../src/projections/session-todos/session-todos.row.js';
import { RELEASED } from './released-events.js';
import { storedEvent } from './stored-event.js';
import { asStoredEvent, readFixtures } from './stored-fixtures.js';

const fixtures = readFixtures(1);
const session = [...fixtures.values()]
  .map(asStoredEvent)
  .filter(({ stream, type }) => stream === 'agentSession-default.s1' && type !== 'session/delete');

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The same value with a field more in every object. */
function widened(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(widened);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([name, each]) => [name, widened(each)] as const);
  return Object.fromEntries([...fields, ['newer', { a: 1 }]]);
}

function foldCommands(events: readonly StoredEvent[]) {
  const loaded = new LoadedStream(sessionFold, sessionFold.initial);
  for (const event of events) loaded.add(event);
  return loaded.state;
}

const foldRow = (events: readonly StoredEvent[]): SessionTodosRow =>
  events.reduce<SessionTodosRow>(
    (row, event) => sessionTodosProjection.evolve(row, event) ?? sessionTodosProjection.initial,
    sessionTodosProjection.initial,
  );

describe('fields that a newer writer added', () => {
  it.each(Object.entries(RELEASED.get(1) ?? {}))('are dropped from %s', (name, event) => {
    const fixture = fixtures.get(name);
    if (fixture === undefined) throw new Error(`no fixture ${name}`);
    const stored = asStoredEvent(fixture);
    const wide = { ...stored, data: widened(stored.data), metadata: widened(stored.metadata) };
    expect(wide.data).not.toEqual(stored.data);
    expect(parseSessionEvent(wide)).toStrictEqual({ kind: 'event', event });
    expect(parseMetadata(wide)).toStrictEqual(parseMetadata(stored));
  });
});

describe('events of other types', () => {
  it.each(['message/append', 'todo/Write', 'todo/write ', '', '$metadata', 'toString'])(
    '%p is foreign, whatever it holds',
    (type) => {
      for (const data of [undefined, null, 'text', { turnId: 't1', todos: [] }]) {
        expect(parseSessionEvent(storedEvent(type, data))).toStrictEqual({ kind: 'foreign' });
      }
    },
  );

  it('change nothing between ours', () => {
    const mixed = session.flatMap((event) => [
      { ...event, type: 'message/append', data: undefined },
      event,
      { ...event, type: 'note', metadata: undefined },
    ]);
    expect(foldCommands(mixed)).toStrictEqual(foldCommands(session));
    expect(foldRow(mixed)).toStrictEqual(foldRow(session));
  });
});

describe('an event of ours that cannot be read', () => {
  const todo = { content: 'a', status: 'pending' };
  it.each([
    ['todo/write', undefined, 'data'],
    ['todo/write', { turnId: 't1' }, 'todos'],
    ['todo/write', { turnId: 't1', todos: '[]' }, 'todos'],
    ['todo/write', { turnId: 't1', todos: [todo, null] }, 'todos.1'],
    ['todo/write', { turnId: 't1', todos: [{ ...todo, status: 'done' }] }, 'todos.0.status'],
    ['todo/write', { turnId: 't1', todos: [{ status: 'pending' }] }, 'todos.0.content'],
    ['todo/write', { todos: [] }, 'turnId'],
    ['turn/start', {}, 'turnId'],
    ['turn/end', { turnId: 't1', outcome: 'vanished' }, 'outcome'],
    ['session/start', { origin: { kind: 'import' } }, 'origin.kind'],
    ['session/start', { origin: { kind: 'fork' } }, 'origin.sessionId'],
    ['session/delete', 'text', 'data'],
  ])('%s %j is reported at %s', (type, data, path) => {
    const parsed = parseSessionEvent(storedEvent(type, data));
    expect(parsed).toMatchObject({ kind: 'unreadable', type });
    expect(parsed).toHaveProperty('reason', expect.stringMatching(`^${path}: .`));
  });

  it('keeps rules about text out: what is stored is read as it is', () => {
    const todos = ['', ' a ', 'a\u0000b', '\ud800', 'same', 'same'].map((content) => ({
      content,
      status: 'pending',
    }));
    const event = { type: 'todo/write', data: { turnId: 'not an id', todos } };
    const parsed = parseSessionEvent(storedEvent(event.type, event.data));
    expect(parsed).toStrictEqual({ kind: 'event', event });
  });

  it('counts as a problem where it was a list, and the next list replaces it', () => {
    const broken = storedEvent('todo/write', { turnId: 't5' }, {}, 13n);
    const next = storedEvent('todo/write', { turnId: 't5', todos: [todo] }, {}, 14n);
    const row = foldRow([...session, broken, next]);
    expect(row).toMatchObject({ problems: 1, todos: [todo], revision: '14' });
    expect(foldCommands([...session, broken, next])).toMatchObject({
      kind: 'live',
      writtenAt: 14n,
    });
  });
});

describe('metadata that is not ours', () => {
  it.each([undefined, null, 'text', {}, { schemaVersion: 1 }, { actor: { kind: 'agent' } }])(
    '%p is none, and the event is read all the same',
    (metadata) => {
      const stored = storedEvent('turn/start', { turnId: 't1' }, metadata);
      expect(parseMetadata(stored)).toBeUndefined();
      expect(parseSessionEvent(stored)).toMatchObject({ kind: 'event' });
    },
  );
});
