/** A page, built list by list from newest to oldest: its limits and its edge. */
import fc from 'fast-check';
import {
  addList,
  addTurnStart,
  EMPTY_DRAFT,
  finishPage,
  MAX_PAGE_BYTES,
  type HistoryPage,
  type WrittenList,
} from '../../../src/projections/todo-history/history-page.js';
import { changeBetween } from '../../../src/projections/todo-history/todo-change.js';
import { list, writtenListItems } from './lists.js';

/** A list, or the start of a turn. */
type Step = WrittenList | 'turn';

const wrote = (revision: number, ...items: string[]): WrittenList => ({
  revision: BigInt(revision),
  turnId: 't1',
  at: '2026-11-30T09:00:00.000Z',
  actor: { kind: 'agent', subject: 'local' },
  todos: list(...items),
});

function pageOf(newestFirst: readonly Step[], limit = 50): HistoryPage {
  let draft = EMPTY_DRAFT;
  for (const step of newestFirst) {
    draft = step === 'turn' ? addTurnStart(draft) : addList(draft, step, limit);
    if (draft.full) break;
  }
  return finishPage(draft);
}

const sizeOf = (page: HistoryPage): number => Buffer.byteLength(JSON.stringify(page));
const revisionsOf = (page: HistoryPage): string[] => page.items.map(({ revision }) => revision);

describe('a page', () => {
  it('is empty where there is no list', () => {
    expect(pageOf([])).toEqual({ items: [], before: null });
    expect(pageOf(['turn', 'turn'])).toEqual({ items: [], before: null });
  });

  it('has the fields of the contract, in their order', () => {
    expect(JSON.stringify(pageOf([wrote(2, 'P:a')]))).toBe(
      '{"items":[{"revision":"2","turnId":"t1","at":"2026-11-30T09:00:00.000Z",' +
        '"actor":{"kind":"agent","subject":"local"},' +
        '"todos":[{"content":"a","status":"pending"}],' +
        '"change":{"added":["a"],"dropped":[],"renamed":[],"status":[]}}],"before":null}',
    );
  });

  it('keeps a revision that no number can hold', () => {
    const high = { ...wrote(0, 'P:a'), revision: 2n ** 63n - 1n };
    expect(revisionsOf(pageOf([high]))).toEqual(['9223372036854775807']);
  });

  it('compares a list with the one before it in its turn', () => {
    const page = pageOf([wrote(3, 'C:a', 'P:b'), wrote(2, 'P:a'), 'turn']);
    expect(page.items.map(({ change }) => change)).toEqual([
      {
        added: ['b'],
        dropped: [],
        renamed: [],
        status: [{ content: 'a', from: 'pending', to: 'completed' }],
      },
      { added: ['a'], dropped: [], renamed: [], status: [] },
    ]);
  });

  it('compares the first list of a turn with the empty list', () => {
    const page = pageOf([wrote(5, 'P:a'), 'turn', wrote(2, 'P:a'), 'turn']);
    expect(page.items[0]?.change.added).toEqual(['a']);
  });

  it('compares nothing across turns, also where the start between them is lost', () => {
    const page = pageOf([{ ...wrote(5, 'P:a'), turnId: 't2' }, wrote(2, 'P:a')]);
    expect(page.items[0]?.change.added).toEqual(['a']);
  });

  it('compares nothing across turns that share an id', () => {
    const page = pageOf([wrote(5), 'turn', wrote(2, 'P:a')]);
    expect(page.items[0]?.change.dropped).toEqual([]);
  });

  it('ends at its limit, the change at its edge known from the list behind it', () => {
    const page = pageOf([wrote(4, 'C:a'), wrote(3, 'I:a'), wrote(2, 'P:a')], 2);
    expect(revisionsOf(page)).toEqual(['4', '3']);
    expect(page.before).toBe('3');
    expect(page.items[1]?.change.status).toEqual([
      { content: 'a', from: 'pending', to: 'in_progress' },
    ]);
  });

  it('says that there is more also where the next list is of another turn', () => {
    expect(pageOf([wrote(4, 'P:a'), 'turn', wrote(2, 'P:a')], 1).before).toBe('4');
  });

  it('is the last one when nothing is left behind a full page', () => {
    expect(pageOf([wrote(3, 'P:a'), wrote(2, 'P:a'), 'turn'], 2).before).toBeNull();
  });

  it('takes nothing more once it is full', () => {
    const full = addList(addList(EMPTY_DRAFT, wrote(4), 1), wrote(3), 1);
    expect(full.full).toBe(true);
    expect(addList(full, wrote(2), 1)).toEqual(full);
    expect(addTurnStart(full)).toEqual(full);
  });

  it('ends before 1 MiB of JSON, counted in bytes', () => {
    // Three bytes of UTF-8 each, one unit of UTF-16.
    const text = '漢'.repeat(20_000);
    const lists = Array.from({ length: 30 }, (_, index) => wrote(100 - index, `P:${text}`));
    const page = pageOf(lists);
    expect(sizeOf(page)).toBeLessThanOrEqual(MAX_PAGE_BYTES);
    const one = sizeOf({ items: page.items.slice(-1), before: null });
    expect(sizeOf(page) + one).toBeGreaterThan(MAX_PAGE_BYTES);
    expect(page.before).toBe(page.items.at(-1)?.revision);
    // The edge fell where the list behind it was at hand.
    expect(page.items.at(-1)?.change.added).toEqual([]);
  });

  it('holds exactly 1 MiB, and not a byte more', () => {
    const last = 2n ** 63n - 1n;
    const build = (length: number): HistoryPage => {
      const todos = list(`P:${'x'.repeat(length)}`);
      const filled = { ...wrote(0), revision: last - 1n, todos };
      // The list behind it is the same: the filling stands in no change.
      const behind = { ...filled, revision: last - 2n };
      return pageOf([{ ...wrote(0, 'P:a'), revision: last }, 'turn', filled, behind], 2);
    };
    const fitting = MAX_PAGE_BYTES - sizeOf(build(0));
    expect(revisionsOf(build(fitting))).toHaveLength(2);
    expect(sizeOf(build(fitting))).toBe(MAX_PAGE_BYTES);
    expect(revisionsOf(build(fitting + 1))).toHaveLength(1);
  });

  it('holds one item at least, however large', () => {
    const huge = wrote(4, `P:${'x'.repeat(MAX_PAGE_BYTES)}`);
    const page = pageOf([huge, 'turn', wrote(2, 'P:a')]);
    expect(revisionsOf(page)).toEqual(['4']);
    expect(page.before).toBe('4');
    expect(pageOf([wrote(6, 'P:a'), 'turn', huge]).before).toBe('6');
  });

  it('at random: pages of any size, put together, are the whole history', () => {
    const steps = fc.array(fc.oneof(fc.constant('turn' as const), writtenListItems), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 5 }), (oldestFirst, limit) => {
        let previous: WrittenList['todos'] = [];
        const stream: Step[] = [];
        const expected: unknown[] = [];
        oldestFirst.forEach((step, revision) => {
          stream.unshift(step === 'turn' ? step : { ...wrote(revision), todos: step });
          if (step !== 'turn') {
            const change = changeBetween(previous, step);
            expected.unshift({ revision: revision.toString(), todos: step, change });
          }
          previous = step === 'turn' ? [] : step;
        });
        const seen: unknown[] = [];
        let before: string | null = stream.length.toString();
        let pages = 0;
        while (before !== null) {
          const page = pageOf(stream.slice(stream.length - Number(before)), limit);
          seen.push(
            ...page.items.map(({ revision, todos, change }) => ({ revision, todos, change })),
          );
          before = page.before;
          pages += 1;
        }
        expect(seen).toEqual(expected);
        expect(pages).toBe(Math.max(1, Math.ceil(expected.length / limit)));
      }),
    );
  });
});
