/** What queries over rows must do, in every store of read models. */
import fc from 'fast-check';
import { z } from 'zod';
import type {
  Parked,
  ReadModel,
  ReadModels,
  RowEntry,
  RowShape,
  RowWrite,
} from '../../../src/projections/read-model/read-model.js';
import type { RowCondition } from '../../../src/projections/read-model/row-queries.js';
import { at, noteShape } from './read-model-contract.js';

interface Ticket {
  /** Null once it is closed: it fits no condition then. */
  readonly kind: string | null;
  readonly size: number;
  readonly due: number | null;
}

const INITIAL: Ticket = { kind: 'new', size: 0, due: null };

const ticketShape: RowShape<Ticket> = {
  name: 'tickets',
  version: 1,
  row: z.object({
    kind: z.string().nullable(),
    size: z.number(),
    due: z.number().nullable(),
  }),
  initial: INITIAL,
  scope: (key) => key.slice(0, key.indexOf('.')),
  columns: [
    { name: 'kind', type: 'text', value: ({ kind }) => kind },
    { name: 'size', type: 'integer', value: ({ kind, size }) => (kind === null ? null : size) },
    { name: 'due', type: 'integer', value: ({ due }) => due },
  ],
};

const parked: Parked = { stream: 'tickets-1', revision: 4n, reason: 'r', at: 'now' };

function ticket(key: string, row: Partial<Ticket> = {}): RowWrite<Ticket> {
  return { key, row: { ...INITIAL, ...row }, epoch: 0, parked: undefined };
}

const keysOf = (entries: readonly RowEntry<Ticket>[]): string[] => entries.map(({ key }) => key);

/** @param connect opens the same store again each time it is called */
export function rowQueriesContract(name: string, connect: () => Promise<ReadModels>): void {
  describe(`${name}, queried`, () => {
    let rows: ReadModel<Ticket>;
    let shape: RowShape<Ticket>;
    let count = 0;
    let commits = 0;

    const commit = (...writes: RowWrite<Ticket>[]): Promise<readonly RowEntry<Ticket>[]> => {
      commits += 1;
      return rows.commit(writes, at(commits));
    };
    const select = (scope: string, where: readonly RowCondition[] = [], limit = 100) =>
      rows.select({ scope, where, limit });

    const openNew = async (): Promise<void> => {
      count += 1;
      shape = { ...ticketShape, name: `tickets-${count}` };
      rows = await (await connect()).open(shape, 1);
    };

    beforeEach(openNew);
    afterEach(() => rows.close());

    it('shows nothing of nothing', async () => {
      expect(await rows.lastChange()).toBe(0);
      expect(await select('a')).toEqual([]);
      expect(await rows.changesAfter('a', 0, 10)).toEqual([]);
      const query = { scope: 'a', where: [], groupBy: 'kind', sum: ['size'] };
      expect(await rows.totals(query)).toEqual([]);
    });

    it('shows a scope its own rows alone, also where one name begins with the other', async () => {
      await commit(ticket('a.1'), ticket('ab.1'), ticket('a_b.1'), ticket('b.1'));
      expect(keysOf(await select('a'))).toEqual(['a.1']);
      expect(keysOf(await rows.changesAfter('a', 0, 10))).toEqual(['a.1']);
      expect(await rows.totals({ scope: 'a', where: [], groupBy: 'kind', sum: [] })).toEqual([
        { value: 'new', rows: 1, sums: [] },
      ]);
    });

    it('orders keys by code points, and goes on after a key that is gone', async () => {
      const keys = ['a.Z', 'a.a', 'a.B', 'a.1', 'a.~', 'a._', 'a.-', 'a.a.a', 'a.10', 'a.2'];
      await commit(...keys.map((key) => ticket(key)));
      const sorted = [...keys].sort((a, b) => (a < b ? -1 : 1));
      expect(keysOf(await select('a'))).toEqual(sorted);
      const rest = await rows.select({ scope: 'a', where: [], after: 'a.A', limit: 2 });
      expect(keysOf(rest)).toEqual(['a.B', 'a.Z']);
    });

    it('gives the entries that get gives, with what is parked', async () => {
      await commit(ticket('a.1', { kind: 'x' }), { ...ticket('a.2'), row: undefined, parked });
      const [first, second] = await select('a');
      expect(first).toEqual(await rows.get('a.1'));
      expect(second).toEqual({ key: 'a.2', row: undefined, epoch: 0, parked, change: 2 });
    });

    it('lets a key that was parked before it had a row count as the initial one', async () => {
      await commit(
        { ...ticket('a.parked'), row: undefined, parked },
        { ...ticket('a.removed'), row: undefined },
      );
      const isNew: RowCondition = { column: 'kind', is: 'equal', value: 'new' };
      expect(keysOf(await select('a', [isNew]))).toEqual(['a.parked']);
    });

    it('tells removed and closed rows as changes, with the number of the last one', async () => {
      await commit(ticket('a.1'), ticket('a.2'), ticket('a.3'));
      await commit({ ...ticket('a.2'), row: undefined }, ticket('a.1', { kind: null }));
      const told = await rows.changesAfter('a', 3, 10);
      expect(told.map(({ key, change }) => [key, change])).toEqual([
        ['a.2', 4],
        ['a.1', 5],
      ]);
      expect(await rows.lastChange()).toBe(5);
      expect(keysOf(await select('a', [{ column: 'kind', is: 'set' }]))).toEqual(['a.3']);
    });

    it('is not queried without a scope, nor by a column that it has not', async () => {
      const plain = await (await connect()).open({ ...noteShape, name: `plain-${count}` }, 1);
      await expect(plain.select({ scope: 'a', where: [], limit: 1 })).rejects.toThrow('no scope');
      await plain.close();
      const unknown: RowCondition = { column: 'key" OR 1 --', is: 'set' };
      await expect(select('a', [unknown])).rejects.toThrow(TypeError);
      await expect(
        rows.totals({ scope: 'a', where: [], groupBy: 'nope', sum: [] }),
      ).rejects.toThrow('no column nope');
    });

    it('adds up beyond 32 bits', async () => {
      await commit(ticket('a.1', { size: 2 ** 40 }), ticket('a.2', { size: 2 ** 40 }));
      const query = { scope: 'a', where: [], groupBy: 'kind', sum: ['size'] };
      expect(await rows.totals(query)).toEqual([{ value: 'new', rows: 2, sums: [2 ** 41] }]);
    });

    it('answers as a plain list of rows would, whatever was written, also after a restart', async () => {
      const key = fc.constantFrom('a.1', 'a.2', 'a.3', 'b.1', 'a.10', 'b.2');
      const row = fc.record({
        kind: fc.constantFrom('x', 'y', null),
        size: fc.nat(9),
        due: fc.option(fc.nat(9), { nil: null }),
      });
      const batch = fc.uniqueArray(fc.tuple(key, fc.option(row, { nil: undefined })), {
        selector: ([one]) => one,
        maxLength: 4,
      });
      const where = fc.subarray<RowCondition>([
        { column: 'kind', is: 'equal', value: 'x' },
        { column: 'kind', is: 'set' },
        { column: 'due', is: 'atMost', value: 4 },
      ]);
      const query = fc.record({
        where,
        after: fc.option(key, { nil: undefined }),
        limit: fc.integer({ min: 1, max: 4 }),
        change: fc.nat(12),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(batch, { maxLength: 5 }),
          query,
          fc.boolean(),
          async (batches, asked, restart) => {
            await rows.close();
            commits = 0;
            await openNew();
            const model = new Map<string, RowEntry<Ticket>>();
            for (const writes of batches) {
              const stored = await commit(
                ...writes.map(([one, value]) => ({ ...ticket(one), row: value })),
              );
              for (const entry of stored) model.set(entry.key, entry);
            }
            if (restart) {
              await rows.close();
              rows = await (await connect()).open(shape, 1);
            }
            const all = [...model.values()].filter((entry) => entry.key.startsWith('a.'));
            const fitting = all.filter((entry) =>
              asked.where.every((condition) => fits(entry, condition)),
            );
            const page = fitting
              .filter((entry) => entry.key > (asked.after ?? ''))
              .sort((a, b) => (a.key < b.key ? -1 : 1))
              .slice(0, asked.limit);
            expect(await rows.select({ scope: 'a', ...asked })).toEqual(page);
            const changed = all
              .filter(({ change }) => change > asked.change)
              .sort((a, b) => a.change - b.change)
              .slice(0, asked.limit);
            expect(await rows.changesAfter('a', asked.change, asked.limit)).toEqual(changed);
            const totals = await rows.totals({
              scope: 'a',
              where: asked.where,
              groupBy: 'kind',
              sum: ['size'],
            });
            const expected = ['x', 'y'].flatMap((value) => {
              const group = fitting.filter((entry) => entry.row?.kind === value);
              const size = group.reduce((sum, entry) => sum + (entry.row?.size ?? 0), 0);
              return group.length === 0 ? [] : [{ value, rows: group.length, sums: [size] }];
            });
            expect([...totals].sort((a, b) => (a.value < b.value ? -1 : 1))).toEqual(expected);
          },
        ),
        { numRuns: 40 },
      );
    });
  });
}

function fits({ row }: RowEntry<Ticket>, condition: RowCondition): boolean {
  const value = condition.column === 'kind' ? row?.kind : row?.due;
  if (value === null || value === undefined) return false;
  switch (condition.is) {
    case 'set':
      return true;
    case 'equal':
      return value === condition.value;
    case 'atMost':
      return typeof value === 'number' && value <= condition.value;
  }
}
