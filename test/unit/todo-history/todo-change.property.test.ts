/** A change, applied to the older list, gives the newer one. */
import fc from 'fast-check';
import type { Todo, TodoStatus } from '../../../src/events/todo.js';
import { foldKey } from '../../../src/projections/todo-history/fold-key.js';
import {
  changeBetween,
  type TodoChange,
} from '../../../src/projections/todo-history/todo-change.js';
import { anyList, writtenListItems } from './lists.js';

const sorted = (texts: readonly string[]): string[] => [...texts].sort();
const contentsOf = (todos: readonly Todo[]): string[] => sorted(todos.map((todo) => todo.content));

/** Contents after the change, as a multiset. */
function applyToContents(before: readonly Todo[], change: TodoChange): string[] {
  const contents = before.map((todo) => todo.content);
  for (const gone of [...change.dropped, ...change.renamed.map(({ from }) => from)]) {
    const place = contents.indexOf(gone);
    if (place < 0) throw new Error(`${gone} was not there`);
    contents.splice(place, 1);
  }
  return sorted([...contents, ...change.renamed.map(({ to }) => to), ...change.added]);
}

/** Items after the change, where each content stands once. Added ones have no status in it. */
function applyToItems(before: readonly Todo[], change: TodoChange): Map<string, TodoStatus | null> {
  const items = new Map<string, TodoStatus | null>(
    before.map(({ content, status }) => [content, status]),
  );
  for (const content of change.dropped) items.delete(content);
  const moved = change.renamed.map(({ from, to }) => ({ from, to, status: items.get(from) }));
  for (const { from } of moved) items.delete(from);
  for (const { to, status } of moved) items.set(to, status ?? null);
  for (const { content, from, to } of change.status) {
    expect(items.get(content)).toBe(from);
    items.set(content, to);
  }
  for (const content of change.added) items.set(content, null);
  return items;
}

const property = (
  lists: fc.Arbitrary<Todo[]>,
  check: (before: Todo[], after: Todo[], change: TodoChange) => void,
): void => {
  fc.assert(
    fc.property(lists, lists, (before, after) => {
      check(before, after, changeBetween(before, after));
    }),
    { numRuns: 2_000 },
  );
};

describe('a change at random', () => {
  it('leads from the contents before to the contents after, repeated ones included', () => {
    property(anyList, (before, after, change) => {
      expect(applyToContents(before, change)).toEqual(contentsOf(after));
    });
  });

  it('leads from the statuses before to the statuses after', () => {
    property(writtenListItems, (before, after, change) => {
      const added = new Set(change.added);
      const expected = new Map(
        after.map(({ content, status }) => [content, added.has(content) ? null : status]),
      );
      expect(applyToItems(before, change)).toEqual(expected);
    });
  });

  it('never drops and adds what folds alike, nor renames to the same', () => {
    property(anyList, (_before, _after, { added, dropped, renamed }) => {
      const gone = new Set(dropped.map(foldKey));
      expect(added.filter((content) => gone.has(foldKey(content)))).toEqual([]);
      for (const { from, to } of renamed) {
        expect(from).not.toBe(to);
        expect(foldKey(from)).toBe(foldKey(to));
      }
    });
  });

  it('leaves an item alone that stands in both lists', () => {
    property(writtenListItems, (before, after, change) => {
      const there = new Set(before.map((todo) => todo.content));
      const kept = after.map((todo) => todo.content).filter((content) => there.has(content));
      const touched = new Set([
        ...change.added,
        ...change.dropped,
        ...change.renamed.flatMap(({ from, to }) => [from, to]),
      ]);
      expect(kept.filter((content) => touched.has(content))).toEqual([]);
    });
  });

  it('is nothing between a list and the same in another order', () => {
    fc.assert(
      fc.property(
        writtenListItems.chain((items) =>
          fc.tuple(
            fc.constant(items),
            fc.shuffledSubarray(items, { minLength: items.length, maxLength: items.length }),
          ),
        ),
        ([before, after]) => {
          const nothing = { added: [], dropped: [], renamed: [], status: [] };
          expect(changeBetween(before, after)).toEqual(nothing);
        },
      ),
    );
  });
});
