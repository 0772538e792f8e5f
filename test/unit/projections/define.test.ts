/** What a projection and a reaction may be called. */
import { z } from 'zod';
import {
  defineProjection,
  isProjection,
  type Projection,
} from '../../../src/projections/runtime/define-projection.js';
import { defineReaction, isReaction } from '../../../src/projections/runtime/define-reaction.js';

const counter: Projection<number> = {
  name: 'counter',
  version: 1,
  prefix: 'agentSession-',
  row: z.number(),
  initial: 0,
  key: ({ stream }) => stream,
  evolve: (row) => row + 1,
};

it('takes a good definition as it is', () => {
  expect(defineProjection(counter)).toBe(counter);
});

it('is known afterwards; a copy, which was not checked, is not', () => {
  const projection = defineProjection({ ...counter });
  const reaction = defineReaction({
    name: 'mail',
    version: 1,
    prefix: '',
    wants: () => true,
    handle: () => Promise.resolve(),
  });
  expect([projection, reaction].map(isProjection)).toEqual([true, false]);
  expect([projection, reaction].map(isReaction)).toEqual([false, true]);
  for (const other of [{ ...projection }, { ...reaction }, null, undefined, 'counter']) {
    expect(isProjection(other) || isReaction(other)).toBe(false);
  }
});

it.each(['', '../x', 'Counter', '1st', 'a b', 'x'.repeat(64)])('refuses the name %j', (name) => {
  expect(() => defineProjection({ ...counter, name })).toThrow('is no name');
  const reaction = { name, version: 1, prefix: '', wants: () => true };
  expect(() => defineReaction({ ...reaction, handle: () => Promise.resolve() })).toThrow(
    'is no name',
  );
});

it.each([0, -1, 1.5, NaN])('refuses version %d', (version) => {
  expect(() => defineProjection({ ...counter, version })).toThrow('version');
  const reaction = { name: 'mail', version, prefix: '', wants: () => true };
  expect(() => defineReaction({ ...reaction, handle: () => Promise.resolve() })).toThrow('version');
});

it('refuses a column name that is no identifier', () => {
  const columns = [{ name: 'a; DROP', type: 'text' as const, value: () => null }];
  expect(() => defineProjection({ ...counter, columns })).toThrow('column');
});
