/** SQLite passes the contract of catalogues, and treats files with care. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { ProjectionCatalog } from '../../../src/projections/read-model/projection-catalog.js';
import { sqliteReadModels } from '../../../src/projections/read-model/sqlite/sqlite-read-models.js';
import { at, note, noteShape } from '../read-model/read-model-contract.js';
import { projectionCatalogContract } from './projection-catalog-contract.js';

const directory = mkdtempSync(join(tmpdir(), 'planlog-catalog-'));

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

projectionCatalogContract('SQLite', (name) => sqliteReadModels(join(directory, 's')).catalog(name));

describe('the file of a catalogue', () => {
  let count = 0;
  let own: string;
  let file: string;

  const open = (): Promise<ProjectionCatalog> => sqliteReadModels(own).catalog('notes');
  const edit = (sql: string): void => {
    const db = new DatabaseSync(file);
    db.exec(sql);
    db.close();
  };

  beforeEach(async () => {
    count += 1;
    own = join(directory, `files-${count}`);
    file = join(own, 'notes.catalog.db');
    await (await open()).close();
  });

  it.each([1, 7])(
    'adopts the only generation of an earlier release, of version %i, as the served one',
    async (version) => {
      rmSync(file);
      const rows = await sqliteReadModels(own).open({ ...noteShape, version }, 1);
      await rows.commit([note('a', 'one')], at(1));
      await rows.close();
      // Of another projection whose name begins alike.
      writeFileSync(join(own, 'notes-more.v9.g1.db'), '');
      const catalog = await open();
      expect(await catalog.generations()).toMatchObject([
        { generation: 1, version, state: 'serving', epochBase: 0, changeBase: 0 },
      ]);
      expect(await catalog.begin(1, new Date())).toMatchObject({ generation: 2 });
      await catalog.close();
    },
  );

  it('adopts nothing once it is there', async () => {
    await (await sqliteReadModels(own).open(noteShape, 1)).close();
    const catalog = await open();
    expect(await catalog.generations()).toEqual([]);
    await catalog.close();
  });

  it.each(['short', 'x'.repeat(100_000)])(
    'that is damaged is reported with what to do, and left as it is',
    async (text) => {
      writeFileSync(file, text);
      await expect(open()).rejects.toMatchObject({ reason: 'damaged' });
      await expect(open()).rejects.toThrow(`${file} is damaged`);
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );

  it.each([
    ['newer', 'PRAGMA user_version = 99'],
    ['other', 'CREATE TABLE IF NOT EXISTS t (a); PRAGMA application_id = 7'],
    ['other', "UPDATE projection SET name = 'letters'"],
  ])('that is %s is refused', async (reason, sql) => {
    edit(sql);
    await expect(open()).rejects.toMatchObject({ code: 'read_model_unusable', reason });
  });

  it('is written through to the disk: it is not derived from anything', async () => {
    const catalog = await open();
    await catalog.setPaused(true);
    // A copy of the files as they are, as a crash would leave them.
    const copy = join(own, 'copy.db');
    for (const suffix of ['', '-wal']) writeFileSync(copy + suffix, readFileSync(file + suffix));
    const db = new DatabaseSync(copy);
    const found: unknown = db.prepare('SELECT paused FROM projection').get();
    db.close();
    expect(found).toEqual({ paused: 1 });
    await catalog.close();
  });
});
