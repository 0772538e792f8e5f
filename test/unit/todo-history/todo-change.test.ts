/** What one list changed against another. */
import type { Todo } from '../../../src/events/todo.js';
import { changeBetween } from '../../../src/projections/todo-history/todo-change.js';
import { list } from './lists.js';

const NOTHING = { added: [], dropped: [], renamed: [], status: [] };
const change = (before: readonly string[], after: readonly string[]) =>
  changeBetween(list(...before), list(...after));

describe('changeBetween', () => {
  it('adds everything to the empty list', () => {
    expect(change([], ['P:a', 'I:b', 'C:c'])).toEqual({ ...NOTHING, added: ['a', 'b', 'c'] });
  });

  it('drops everything for the empty list', () => {
    expect(change(['P:a', 'I:b'], [])).toEqual({ ...NOTHING, dropped: ['a', 'b'] });
  });

  it('finds nothing between empty lists, and between equal ones', () => {
    expect(change([], [])).toEqual(NOTHING);
    expect(change(['P:a', 'C:b'], ['P:a', 'C:b'])).toEqual(NOTHING);
  });

  it('takes a new order for no change', () => {
    expect(change(['P:a', 'I:b', 'C:c'], ['C:c', 'P:a', 'I:b'])).toEqual(NOTHING);
  });

  it('row 88: lists the open items that a narrower rewrite lost', () => {
    expect(change(['P:a', 'P:b', 'P:c', 'P:d', 'P:e'], ['P:b', 'P:d'])).toEqual({
      ...NOTHING,
      dropped: ['a', 'c', 'e'],
    });
  });

  it('row 89: shows that an item skipped in_progress', () => {
    expect(change(['P:a', 'I:b'], ['C:a', 'C:b'])).toEqual({
      ...NOTHING,
      status: [
        { content: 'a', from: 'pending', to: 'completed' },
        { content: 'b', from: 'in_progress', to: 'completed' },
      ],
    });
  });

  it('shows that a status went back', () => {
    expect(change(['C:a'], ['P:a']).status).toEqual([
      { content: 'a', from: 'completed', to: 'pending' },
    ]);
  });

  it('row 74: takes another case for one rename, not a drop and an add', () => {
    expect(change(['P:Fix bug', 'P:b'], ['P:fix bug', 'P:b'])).toEqual({
      ...NOTHING,
      renamed: [{ from: 'Fix bug', to: 'fix bug' }],
    });
  });

  it('row 74: takes another Unicode form for one rename', () => {
    expect(change(['P:Caf\u00e9'], ['P:Cafe\u0301'])).toEqual({
      ...NOTHING,
      renamed: [{ from: 'Caf\u00e9', to: 'Cafe\u0301' }],
    });
  });

  it('takes another text for a drop and an add', () => {
    expect(change(['P:Fix bug'], ['P:Fix bugs'])).toEqual({
      ...NOTHING,
      added: ['Fix bugs'],
      dropped: ['Fix bug'],
    });
  });

  it('shows the status of a renamed item under its new content', () => {
    expect(change(['P:Fix'], ['C:FIX'])).toEqual({
      ...NOTHING,
      renamed: [{ from: 'Fix', to: 'FIX' }],
      status: [{ content: 'FIX', from: 'pending', to: 'completed' }],
    });
  });

  it('keeps "Fix" and "fix" apart in one list', () => {
    expect(change(['P:Fix', 'C:fix'], ['C:fix', 'P:Fix'])).toEqual(NOTHING);
    expect(change(['P:Fix', 'C:fix'], ['C:fix'])).toEqual({ ...NOTHING, dropped: ['Fix'] });
    expect(change(['P:fix'], ['P:FIX', 'P:fix'])).toEqual({ ...NOTHING, added: ['FIX'] });
  });

  it('pairs what has no equal content by its order', () => {
    expect(change(['P:Fix', 'I:fix', 'P:keep'], ['C:FIX', 'P:keep', 'I:fIX'])).toEqual({
      ...NOTHING,
      renamed: [
        { from: 'Fix', to: 'FIX' },
        { from: 'fix', to: 'fIX' },
      ],
      status: [{ content: 'FIX', from: 'pending', to: 'completed' }],
    });
  });

  it('counts equal contents, which an older writer may have left', () => {
    expect(change(['P:a', 'C:a', 'P:A'], ['I:a'])).toEqual({
      ...NOTHING,
      dropped: ['a', 'A'],
      status: [{ content: 'a', from: 'pending', to: 'in_progress' }],
    });
  });

  it('is not led astray by the names of Object.prototype', () => {
    const names = ['__proto__', 'constructor', 'toString'];
    const items: Todo[] = names.map((content) => ({ content, status: 'pending' }));
    expect(changeBetween([], items).added).toEqual(names);
    expect(changeBetween(items, items)).toEqual(NOTHING);
  });
});
