/** Words for lists, and lists at random, in the tests of the history. */
import fc from 'fast-check';
import { TODO_STATUSES, type Todo, type TodoStatus } from '../../../src/events/todo.js';

const STATUSES: Readonly<Record<string, TodoStatus>> = {
  P: 'pending',
  I: 'in_progress',
  C: 'completed',
};

/** Items such as `I:build`: P, I or C, then the content. */
export function list(...items: readonly string[]): Todo[] {
  return items.map((item) => {
    const status = STATUSES[item.slice(0, 1)];
    if (status === undefined || item[1] !== ':') throw new TypeError(`not an item: ${item}`);
    return { content: item.slice(2), status };
  });
}

/** Few contents and many that fold alike, so that lists at random meet. */
const contents = fc.constantFrom(
  ...['Fix', 'fix', 'FIX', 'straße', 'STRASSE', 'Caf\u00e9', 'CAFE\u0301', 'ı', 'I', 'i', 'test'],
);

const todo: fc.Arbitrary<Todo> = fc.record({
  content: contents,
  status: fc.constantFrom(...TODO_STATUSES),
});

/** Any list of the right shape, equal contents included. */
export const anyList = fc.array(todo, { maxLength: 8 });

/** A list as commands write it: each content once. */
export const writtenListItems = fc.uniqueArray(todo, {
  maxLength: 8,
  selector: ({ content }) => content.normalize('NFC'),
});
