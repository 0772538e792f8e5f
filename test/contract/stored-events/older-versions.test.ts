/** Older schema versions are raised step by step. The versions here are made up. */
import { parseSessionEvent } from '../../../src/events/parse-session-event.js';
import { sessionUpcasters, upcast, type Upcasters } from '../../../src/events/upcasters.js';
import { storedEvent } from './stored-event.js';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Each item as `raise` makes it; what is no list of objects passes on as it is. */
const eachItem = (items: unknown, raise: (item: Record<string, unknown>) => object): unknown =>
  Array.isArray(items) && items.every(isObject) ? items.map(raise) : items;

/** Version 0: `{ turn, items: [{ text, done }] }`. Version 1: `{ turnId, items: [{ text, state }] }`. */
const upcasters: Upcasters = {
  'todo/write': {
    0: (data) => {
      if (!isObject(data)) return data;
      const { turn, items, ...rest } = data;
      const raised = eachItem(items, ({ done, ...item }) => ({
        ...item,
        state: done === true ? 'completed' : 'pending',
      }));
      return { ...rest, turnId: turn, items: raised };
    },
    1: (data) => {
      if (!isObject(data)) return data;
      const { items, ...rest } = data;
      const raised = eachItem(items, ({ text, state, ...item }) => ({
        ...item,
        content: text,
        status: state,
      }));
      return { ...rest, todos: raised };
    },
  },
};

const today = {
  kind: 'event',
  event: {
    type: 'todo/write',
    data: {
      turnId: 't1',
      todos: [
        { content: 'a', status: 'completed' },
        { content: 'b', status: 'pending' },
      ],
    },
  },
};
const version0 = {
  turn: 't1',
  colour: 'red',
  items: [
    { text: 'a', done: true, priority: 'high' },
    { text: 'b', done: false },
  ],
};
const version1 = {
  turnId: 't1',
  colour: 'red',
  items: [
    { text: 'a', state: 'completed', priority: 'high' },
    { text: 'b', state: 'pending' },
  ],
};
const version2 = { ...today.event.data, colour: 'red' };

const read = (schemaVersion: unknown, data: unknown, metadata: object = {}) =>
  parseSessionEvent(storedEvent('todo/write', data, { ...metadata, schemaVersion }), upcasters);

describe('an older event', () => {
  it.each([
    [0, version0],
    [1, version1],
    [2, version2],
  ])('of version %i is read as one of today, without fields of no meaning', (version, data) => {
    expect(read(version, data)).toStrictEqual(today);
  });

  it('is raised from its own version and no other', () => {
    expect(read(1, version0)).toMatchObject({ kind: 'unreadable', type: 'todo/write' });
    expect(read(2, version1)).toMatchObject({ kind: 'unreadable', type: 'todo/write' });
  });

  it('of a version that is newer than any upcaster is read by its shape', () => {
    expect(read(9, version2)).toStrictEqual(today);
  });

  it.each([undefined, '0', -1, 0.5, null])('whose version is %p is of version 1', (version) => {
    expect(read(version, version1)).toStrictEqual(today);
  });

  it('has its version also where the rest of its metadata is not ours', () => {
    expect(read(0, version0, { actor: 'nobody', $causationId: 7 })).toStrictEqual(today);
  });

  it.each([undefined, null, 7, 'text', [], { turn: 't1' }, { turn: 't1', items: [1] }])(
    'that holds %p passes through every step and is reported',
    (data) => {
      expect(read(0, data)).toMatchObject({ kind: 'unreadable', type: 'todo/write' });
    },
  );

  it('of another type is left alone', () => {
    const turn = storedEvent('turn/start', { turnId: 't1' }, { schemaVersion: 0 });
    const event = { type: 'turn/start', data: { turnId: 't1' } };
    expect(parseSessionEvent(turn, upcasters)).toStrictEqual({ kind: 'event', event });
    const foreign = storedEvent('constructor', version0, { schemaVersion: 0 });
    expect(parseSessionEvent(foreign, upcasters)).toStrictEqual({ kind: 'foreign' });
  });
});

it('a step is taken once, in order, and changes nothing that was read', () => {
  const before = structuredClone(version0);
  expect(upcast(upcasters, 'todo/write', 0, version0)).toStrictEqual({
    turnId: 't1',
    colour: 'red',
    todos: [
      { content: 'a', status: 'completed', priority: 'high' },
      { content: 'b', status: 'pending' },
    ],
  });
  expect(version0).toStrictEqual(before);
});

it('no version of the past needs raising yet', () => {
  expect(sessionUpcasters).toStrictEqual({});
});
