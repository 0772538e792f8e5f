/** What every catalogue of a projection must do. An adapter's test file calls this with itself. */
import type {
  Discard,
  ProjectionCatalog,
} from '../../../src/projections/read-model/projection-catalog.js';

const NOON = new Date('2026-11-30T12:00:00.000Z');

function discard(revision: bigint, more: Partial<Discard> = {}): Discard {
  return {
    key: 'default.s1',
    stream: 'agentSession-default.s1',
    revision,
    eventId: `event-${revision.toString()}`,
    at: NOON.toISOString(),
    ...more,
  };
}

/**
 * @param connect opens the same catalogue again each time it is called with the same name
 */
export function projectionCatalogContract(
  name: string,
  connect: (projection: string) => Promise<ProjectionCatalog>,
): void {
  describe(`${name} as a projection's catalogue`, () => {
    let catalog: ProjectionCatalog;
    let projection: string;
    let count = 0;

    /** What was decided outlives the process. */
    const reopen = async (): Promise<void> => {
      await catalog.close();
      catalog = await connect(projection);
    };
    const states = async (): Promise<(readonly [number, string])[]> =>
      (await catalog.generations()).map(({ generation, state }) => [generation, state]);

    beforeEach(async () => {
      count += 1;
      projection = `notes-${count}`;
      catalog = await connect(projection);
    });

    afterEach(() => catalog.close());

    it('starts with nothing', async () => {
      for (const restart of [false, true]) {
        if (restart) await reopen();
        expect(await catalog.generations()).toEqual([]);
        expect(await catalog.generation(1)).toBeUndefined();
        expect(await catalog.paused()).toBe(false);
        expect(await catalog.discards()).toEqual([]);
      }
    });

    it('keeps a new generation as building, with the next number, whatever the version', async () => {
      const first = await catalog.begin(1, NOON);
      expect(first).toEqual({
        generation: 1,
        version: 1,
        state: 'building',
        startedAt: NOON.toISOString(),
        problem: null,
        epochBase: 0,
        changeBase: 0,
      });
      await catalog.begin(2, NOON);
      await reopen();
      expect(await catalog.generation(1)).toEqual(first);
      expect(await catalog.generations()).toMatchObject([
        { generation: 1, version: 1 },
        { generation: 2, version: 2 },
      ]);
    });

    it('never gives a number again', async () => {
      await catalog.begin(1, NOON);
      await catalog.begin(1, NOON);
      await catalog.forget(2);
      await catalog.forget(2);
      await reopen();
      expect(await catalog.begin(1, NOON)).toMatchObject({ generation: 3 });
      expect(await states()).toEqual([
        [1, 'building'],
        [3, 'building'],
      ]);
    });

    it('moves a generation from a state it is in, and from no other', async () => {
      await catalog.begin(1, NOON);
      expect(await catalog.move(1, ['building'], 'ready')).toMatchObject({ state: 'ready' });
      expect(await catalog.move(1, ['building'], 'failed', 'late')).toMatchObject({
        state: 'ready',
        problem: null,
      });
      expect(await catalog.move(1, ['building', 'ready'], 'failed', 'why')).toMatchObject({
        state: 'failed',
        problem: 'why',
      });
      await reopen();
      expect(await catalog.generation(1)).toMatchObject({ state: 'failed', problem: 'why' });
      expect(await catalog.move(9, ['building'], 'ready')).toBeUndefined();
    });

    it('serves one generation of each version: promoting keeps the one before', async () => {
      for (const version of [1, 1, 2]) {
        const { generation } = await catalog.begin(version, NOON);
        await catalog.move(generation, ['building'], 'ready');
      }
      await catalog.promote(1, { epochBase: 0, changeBase: 0 });
      await catalog.promote(3, { epochBase: 4, changeBase: 0 });
      await reopen();
      expect(await catalog.promote(2, { epochBase: 1, changeBase: 70 })).toMatchObject({
        generation: 2,
        state: 'serving',
        epochBase: 1,
        changeBase: 70,
      });
      await reopen();
      expect(await states()).toEqual([
        [1, 'kept'],
        [2, 'serving'],
        [3, 'serving'],
      ]);
      expect(await catalog.generation(2)).toMatchObject({ epochBase: 1, changeBase: 70 });
      await catalog.promote(1, { epochBase: 2, changeBase: 90 });
      expect(await states()).toEqual([
        [1, 'serving'],
        [2, 'kept'],
        [3, 'serving'],
      ]);
    });

    it('gives the served generation new bases', async () => {
      await catalog.begin(1, NOON);
      await catalog.promote(1, { epochBase: 0, changeBase: 0 });
      await catalog.promote(1, { epochBase: 3, changeBase: 5 });
      expect(await catalog.generations()).toMatchObject([
        { state: 'serving', epochBase: 3, changeBase: 5 },
      ]);
    });

    it.each(['cancelled', 'failed'] as const)(
      'promotes none that is %s, and changes nothing',
      async (state) => {
        await catalog.begin(1, NOON);
        await catalog.promote(1, { epochBase: 0, changeBase: 0 });
        await catalog.begin(1, NOON);
        await catalog.move(2, ['building'], state);
        for (const generation of [2, 9]) {
          await expect(
            catalog.promote(generation, { epochBase: 1, changeBase: 1 }),
          ).rejects.toMatchObject({ code: 'generation_state', generation });
        }
        expect(await states()).toEqual([
          [1, 'serving'],
          [2, state],
        ]);
      },
    );

    it('remembers that it is paused (faults.md C 37)', async () => {
      await catalog.setPaused(true);
      await catalog.begin(1, NOON);
      await reopen();
      expect(await catalog.paused()).toBe(true);
      await catalog.setPaused(false);
      await reopen();
      expect(await catalog.paused()).toBe(false);
    });

    it('keeps discards in their order, each event once, with revisions of 64 bits', async () => {
      const discards = [
        discard(2n ** 63n + 1n),
        discard(3n),
        // Another event at the same place is another discard.
        discard(3n, { eventId: 'another', key: 'default.s2' }),
      ];
      for (const one of discards) await catalog.discard(one);
      await catalog.discard(discard(3n, { at: 'later' }));
      await reopen();
      expect(await catalog.discards()).toEqual(discards);
    });

    it('shows what another connection has changed', async () => {
      const other = await connect(projection);
      await catalog.begin(1, NOON);
      expect(await other.generations()).toHaveLength(1);
      await other.move(1, ['building'], 'ready');
      expect(await catalog.generation(1)).toMatchObject({ state: 'ready' });
      await other.close();
    });

    it('keeps projections apart', async () => {
      const other = await connect(`${projection}-other`);
      await catalog.begin(1, NOON);
      await catalog.setPaused(true);
      await catalog.discard(discard(1n));
      expect(await other.generations()).toEqual([]);
      expect(await other.paused()).toBe(false);
      expect(await other.discards()).toEqual([]);
      await other.close();
    });

    it('closes twice', async () => {
      await catalog.close();
      await catalog.close();
    });
  });
}
