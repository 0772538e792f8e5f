/** What every store of read models must do. An adapter's test file calls this with itself. */
import { z } from 'zod';
import { positionOf } from '../../../src/events/log/position.js';
import type {
  ReadModel,
  ReadModels,
  RowShape,
  RowWrite,
} from '../../../src/projections/read-model/read-model.js';
import type { Checkpoint } from '../../../src/projections/runtime/checkpoint.js';

export interface Note {
  readonly text: string;
  readonly size: number;
}

export const noteShape: RowShape<Note> = {
  name: 'notes',
  version: 1,
  row: z.object({ text: z.string(), size: z.number() }),
  columns: [{ name: 'size', type: 'integer', value: (note) => note.size }],
};

export function note(
  key: string,
  text: string,
  more: Partial<RowWrite<Note>> = {},
): RowWrite<Note> {
  return { key, row: { text, size: text.length }, epoch: 0, parked: undefined, ...more };
}

export function at(sequence: number, logId = 'log-1'): Checkpoint {
  return {
    kind: 'log',
    logId,
    position: positionOf(BigInt(sequence)),
    event: { stream: 'notes-1', revision: BigInt(sequence), id: `event-${sequence}` },
  };
}

/**
 * @param connect opens the same store again each time it is called
 */
export function readModelContract(name: string, connect: () => Promise<ReadModels>): void {
  describe(`${name} as a store of read models`, () => {
    let rows: ReadModel<Note>;
    let shape: RowShape<Note>;
    let count = 0;

    const reopen = async (): Promise<void> => {
      await rows.close();
      rows = await (await connect()).open(shape, 1);
    };

    beforeEach(async () => {
      count += 1;
      shape = { ...noteShape, name: `notes-${count}` };
      rows = await (await connect()).open(shape, 1);
    });

    afterEach(() => rows.close());

    it('starts with nothing', async () => {
      expect(await rows.checkpoint()).toBeUndefined();
      expect(await rows.get('a')).toBeUndefined();
      expect(await rows.load(['a', 'b'])).toEqual(new Map());
      expect(await rows.countParked()).toBe(0);
    });

    it('keeps rows and checkpoint together, over a restart', async () => {
      await rows.commit([note('a', 'one'), note('b', 'two', { epoch: 3 })], at(5));
      for (const restart of [false, true]) {
        if (restart) await reopen();
        expect(await rows.checkpoint()).toEqual(at(5));
        expect(await rows.get('a')).toEqual({ ...note('a', 'one'), change: 1 });
        const loaded = await rows.load(['b', 'c']);
        expect([...loaded.values()]).toEqual([{ ...note('b', 'two', { epoch: 3 }), change: 2 }]);
      }
    });

    it('replaces a row whole', async () => {
      await rows.commit([note('a', 'one')], at(1));
      await rows.commit([note('a', 'two')], at(2));
      await reopen();
      expect(await rows.get('a')).toEqual({ ...note('a', 'two'), change: 2 });
    });

    it('numbers changes upward, also after a restart and a removal', async () => {
      const first = await rows.commit([note('a', '1'), note('b', '2')], at(1));
      await rows.commit([note('b', '', { row: undefined })], at(2));
      await reopen();
      const last = await rows.commit([note('a', '3')], at(3));
      expect([...first, ...last].map(({ change }) => change)).toEqual([1, 2, 4]);
      expect(await rows.get('b')).toMatchObject({ row: undefined, change: 3 });
    });

    it('keeps why a key is parked, with a revision of 64 bits, and counts those keys', async () => {
      const parked = { stream: 'notes-a', revision: 2n ** 63n + 1n, reason: 'r', at: 'now' };
      await rows.commit(
        [note('a', 'one', { parked }), note('b', '', { row: undefined, parked })],
        at(1),
      );
      await reopen();
      expect(await rows.get('a')).toMatchObject({ parked, row: { text: 'one' } });
      expect(await rows.get('b')).toMatchObject({ parked, row: undefined });
      expect(await rows.countParked()).toBe(2);
      await rows.commit([note('a', 'one')], at(2));
      expect(await rows.countParked()).toBe(1);
    });

    it('moves the checkpoint without rows', async () => {
      await rows.commit([], at(7));
      await reopen();
      expect(await rows.checkpoint()).toEqual(at(7));
    });

    it('takes the same checkpoint again', async () => {
      await rows.commit([note('a', 'one')], at(7));
      await rows.commit([note('a', 'two')], at(7));
      expect(await rows.get('a')).toMatchObject({ row: { text: 'two' } });
    });

    it.each([
      ['that goes back', at(6)],
      ['of another log', at(9, 'log-2')],
    ])('refuses a checkpoint %s, and writes nothing (faults.md C 2)', async (_, checkpoint) => {
      await rows.commit([note('a', 'one')], at(7));
      await expect(rows.commit([note('a', 'two')], checkpoint)).rejects.toMatchObject({
        code: 'checkpoint_regression',
      });
      expect(await rows.get('a')).toMatchObject({ row: { text: 'one' } });
      await reopen();
      expect(await rows.get('a')).toMatchObject({ row: { text: 'one' } });
      expect(await rows.checkpoint()).toEqual(at(7));
    });

    it('writes all or nothing: a row that fails takes the others and the checkpoint with it (faults.md C 29)', async () => {
      await rows.commit([note('a', 'one')], at(1));
      const cyclic: Record<string, unknown> = { text: 'x', size: 1 };
      cyclic['self'] = cyclic;
      const bad = { ...note('b', 'x'), row: Object.assign({ text: 'x', size: 1 }, cyclic) };
      await expect(rows.commit([note('a', 'two'), bad], at(2))).rejects.toThrow();
      for (const restart of [false, true]) {
        if (restart) await reopen();
        expect(await rows.get('a')).toMatchObject({ row: { text: 'one' }, change: 1 });
        expect(await rows.get('b')).toBeUndefined();
        expect(await rows.checkpoint()).toEqual(at(1));
      }
      await rows.commit([note('a', 'two')], at(2));
      expect(await rows.get('a')).toMatchObject({ row: { text: 'two' }, change: 2 });
    });

    it('keeps position and prepare apart (faults.md C 1)', async () => {
      const checkpoint = { ...at(1), position: { commit: 9n, prepare: 4n } };
      await rows.commit([], checkpoint);
      await reopen();
      expect(await rows.checkpoint()).toEqual(checkpoint);
    });

    it('keeps versions and generations apart', async () => {
      await rows.commit([note('a', 'one')], at(1));
      const store = await connect();
      for (const other of [
        await store.open(shape, 2),
        await store.open({ ...shape, version: 2 }, 1),
      ]) {
        expect(await other.get('a')).toBeUndefined();
        expect(await other.checkpoint()).toBeUndefined();
        await other.close();
      }
    });

    it('refuses a stored row that is not of the shape', async () => {
      await rows.commit([note('a', 'one')], at(1));
      await rows.close();
      const other = { ...shape, row: z.object({ text: z.string(), size: z.number().min(100) }) };
      rows = await (await connect()).open(other, 1);
      await expect(rows.get('a')).rejects.toMatchObject({
        code: 'read_model_unusable',
        reason: 'damaged',
      });
    });

    it('lists the parked entries by pages, in the order of their keys', async () => {
      const parked = { stream: 'notes-1', revision: 4n, reason: 'unreadable', at: 'a moment' };
      const keys = ['e', 'B', 'ü', 'a', 'c'];
      await rows.commit(
        keys.map((key) => note(key, 'x', { parked: key === 'c' ? undefined : parked })),
        at(1),
      );
      await reopen();
      const page = async (after: string | undefined, limit: number) =>
        (await rows.parked(after, limit)).map(({ key }) => key);
      expect(await page(undefined, 2)).toEqual(['B', 'a']);
      expect(await page('a', 9)).toEqual(['e', 'ü']);
      expect(await page('ü', 9)).toEqual([]);
      expect((await rows.parked(undefined, 1))[0]).toEqual(await rows.get('B'));
    });

    it('says how far it has come, to its owner and to whoever looks from beside', async () => {
      const beside = await connect();
      const looked = async () => {
        const seen = [await rows.progress(), await beside.progress(shape, 1)];
        expect(seen[1]).toEqual(seen[0]);
        return seen[0];
      };
      expect(await looked()).toEqual({ checkpoint: undefined, events: 0, change: 0, epoch: 0 });
      await rows.commit([note('a', 'one', { epoch: -4 }), note('b', 'two')], at(3), 7);
      expect(await looked()).toEqual({ checkpoint: at(3), events: 7, change: 2, epoch: 0 });
      await rows.commit([note('b', 'two', { epoch: 5 })], at(3));
      await rows.commit([note('a', 'two', { epoch: -3 })], at(4), 1);
      const last = { checkpoint: at(4), events: 8, change: 4, epoch: 5 };
      expect(await looked()).toEqual(last);
      await reopen();
      expect(await looked()).toEqual(last);
    });

    it('has no progress of what is not there, and makes nothing by looking', async () => {
      const store = await connect();
      for (let look = 0; look < 2; look += 1) {
        expect(await store.progress(shape, 9)).toBeUndefined();
        expect(await store.progress({ ...shape, version: 2 }, 1)).toBeUndefined();
      }
    });

    it('reads all entries by pages, in the order of their keys, removed and parked ones too', async () => {
      const parked = { stream: 'notes-1', revision: 4n, reason: 'unreadable', at: 'a moment' };
      await rows.commit(
        [
          note('e', 'x'),
          note('B', '', { row: undefined }),
          note('ü', 'x', { parked }),
          note('a', 'x'),
          note('c', 'x'),
        ],
        at(1),
      );
      await reopen();
      const page = async (after: string | undefined, limit: number) =>
        (await rows.scan(after, limit)).map(({ key }) => key);
      expect(await page(undefined, 2)).toEqual(['B', 'a']);
      expect(await page('a', 2)).toEqual(['c', 'e']);
      expect(await page('e', 9)).toEqual(['ü']);
      expect(await page('ü', 9)).toEqual([]);
      expect((await rows.scan('e', 9))[0]).toEqual(await rows.get('ü'));
      expect((await rows.scan(undefined, 1))[0]).toMatchObject({ key: 'B', row: undefined });
    });

    it('writes through to the disk also while somebody reads, and goes on', async () => {
      await rows.sync();
      await rows.commit([note('a', 'one')], at(1), 1);
      const beside = await (await connect()).open(shape, 1);
      expect(await beside.get('a')).toMatchObject({ row: { text: 'one' } });
      await rows.sync();
      await rows.sync();
      await rows.commit([note('a', 'two')], at(2), 1);
      await beside.close();
      await reopen();
      expect(await rows.get('a')).toMatchObject({ row: { text: 'two' } });
    });

    it('drops one generation for ever, and no other; twice changes nothing', async () => {
      const store = await connect();
      const second = await store.open(shape, 2);
      await second.commit([note('a', 'second')], at(2), 3);
      await second.close();
      await rows.commit([note('a', 'first')], at(1), 1);
      await store.drop(shape, 2);
      await store.drop(shape, 2);
      await store.drop({ ...shape, version: 2 }, 1);
      expect(await store.progress(shape, 2)).toBeUndefined();
      await reopen();
      expect(await rows.get('a')).toMatchObject({ row: { text: 'first' } });
      const anew = await store.open(shape, 2);
      expect(await anew.get('a')).toBeUndefined();
      expect(await anew.progress()).toMatchObject({ checkpoint: undefined, events: 0, change: 0 });
      await anew.close();
    });

    it('gives a lock to one at a time, over all who have the store open, each name for itself', async () => {
      const [one, other] = [await connect(), await connect()];
      const release = await one.lock(`${shape.name}.v1.g1`);
      for (const store of [one, other]) {
        await expect(store.lock(`${shape.name}.v1.g1`)).rejects.toMatchObject({
          code: 'read_model_locked',
          lock: `${shape.name}.v1.g1`,
        });
      }
      const releaseOther = await other.lock(`${shape.name}.v1.g2`);
      release();
      const again = await other.lock(`${shape.name}.v1.g1`);
      // Freed twice, it is not taken from whoever has it now.
      release();
      await expect(one.lock(`${shape.name}.v1.g1`)).rejects.toMatchObject({
        code: 'read_model_locked',
      });
      again();
      releaseOther();
    });

    it('closes twice', async () => {
      await rows.close();
      await rows.close();
    });
  });
}
