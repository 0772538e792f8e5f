/** SQLite passes the contract, and treats files with care. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { BroadcastChannel } from 'node:worker_threads';
import { jest } from '@jest/globals';
import { DatabaseSync } from '@photostructure/sqlite';
import type { ReadModel } from '../../../src/projections/read-model/read-model.js';
import { sqliteReadModels } from '../../../src/projections/read-model/sqlite/sqlite-read-models.js';
import { WalKeeper } from '../../../src/projections/read-model/sqlite/wal-keeper.js';
import { at, note, noteShape, readModelContract, type Note } from './read-model-contract.js';
import { rowQueriesContract } from './row-queries-contract.js';

const directory = mkdtempSync(join(tmpdir(), 'planlog-read-model-'));

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

readModelContract('SQLite', () => Promise.resolve(sqliteReadModels(join(directory, 'shared'))));
rowQueriesContract('SQLite', () => Promise.resolve(sqliteReadModels(join(directory, 'queried'))));

describe('SQLite files', () => {
  let count = 0;
  let own: string;
  let file: string;

  const open = (): Promise<ReadModel<Note>> => sqliteReadModels(own).open(noteShape, 1);
  const edit = (sql: string): void => {
    const db = new DatabaseSync(file);
    db.exec(sql);
    db.close();
  };

  beforeEach(() => {
    count += 1;
    own = join(directory, `files-${count}`);
    file = join(own, 'notes.v1.g1.db');
  });

  it('are one for each generation, named after it', async () => {
    await (await open()).close();
    expect(readFileSync(file).subarray(0, 6).toString()).toBe('SQLite');
  });

  it.each(['short', 'x'.repeat(100_000)])(
    'that are damaged are reported with what to do, and left as they are',
    async (text) => {
      await (await open()).close();
      writeFileSync(file, text);
      await expect(open()).rejects.toMatchObject({ reason: 'damaged' });
      await expect(open()).rejects.toThrow(`delete ${file}`);
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );

  it('that a newer release wrote are reported, and left as they are', async () => {
    await (await open()).close();
    edit('PRAGMA user_version = 99');
    await expect(open()).rejects.toMatchObject({ reason: 'newer' });
    await expect(open()).rejects.toThrow('delete');
  });

  it.each([
    ['another program', 'CREATE TABLE t (a); PRAGMA application_id = 7'],
    ['another projection', "UPDATE generation SET name = 'letters'"],
  ])('of %s are refused', async (_, sql) => {
    await (await open()).close();
    edit(sql);
    await expect(open()).rejects.toMatchObject({ reason: 'other' });
  });

  it('whose checkpoint cannot be read are damaged (faults.md C 26)', async () => {
    await (await open()).close();
    edit(`UPDATE generation SET checkpoint = '{"kind":"stream","revision":"4"}'`);
    await expect(open()).rejects.toMatchObject({ reason: 'damaged' });
  });

  it('whose row cannot be read are damaged', async () => {
    const rows = await open();
    await rows.commit([note('a', 'one')], at(1));
    await rows.close();
    edit("UPDATE rows SET row = '{'");
    const again = await open();
    await expect(again.get('a')).rejects.toMatchObject({ reason: 'damaged' });
    await again.close();
  });

  it('keep columns beside the rows', async () => {
    const rows = await open();
    await rows.commit([note('a', 'four'), note('b', '', { row: undefined })], at(1));
    await rows.close();
    const db = new DatabaseSync(file);
    const found: unknown = db.prepare('SELECT key, c_size FROM rows ORDER BY key').all();
    db.close();
    expect(found).toEqual([
      { key: 'a', c_size: 4 },
      { key: 'b', c_size: null },
    ]);
  });

  it('are written by one: the second writer is refused, and nothing of it is kept', async () => {
    const first = await open();
    const second = await open();
    await first.commit([note('a', 'first')], at(1));
    await expect(second.commit([note('a', 'second')], at(1))).rejects.toMatchObject({
      code: 'read_model_unusable',
    });
    await second.close();
    await first.close();
    const again = await open();
    expect(await again.get('a')).toMatchObject({ row: { text: 'first' } });
    await again.close();
  });

  it('serve rows that the cache has let go', async () => {
    const rows = await sqliteReadModels(own, { maxRows: 2, maxBytes: 1_000 }).open(noteShape, 1);
    const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
    await rows.commit(
      keys.map((key) => note(key, key)),
      at(1),
    );
    await rows.commit([note('big', 'x'.repeat(5_000))], at(2));
    for (const key of keys) expect(await rows.get(key)).toMatchObject({ row: { text: key } });
    expect(await rows.get('big')).toMatchObject({ row: { size: 5_000 } });
    await rows.close();
  });

  it('have their -wal written through where a reader keeps it from being copied', () => {
    const at = (path: string): string => pathToFileURL(join(import.meta.dirname, path)).href;
    const models = at('../../../src/projections/read-model/sqlite/sqlite-read-models.js');
    const contract = at('./read-model-contract.js');
    const recorder = at('../../integration/sqlite-log/record-syncs.js');
    const syncs = join(directory, 'syncs');
    writeFileSync(syncs, '');
    const program = `
      import { appendFileSync } from 'node:fs';
      import { DatabaseSync } from '@photostructure/sqlite';
      import { sqliteReadModels } from '${models}';
      import { at, note, noteShape } from '${contract}';
      const rows = await sqliteReadModels(${JSON.stringify(own)}).open(noteShape, 1);
      await rows.commit([note('a', 'one')], at(1));
      const reader = new DatabaseSync(${JSON.stringify(file)});
      reader.exec('BEGIN; SELECT count(*) FROM rows');
      await rows.commit([note('b', 'two')], at(2));
      await rows.sync();
      reader.close();
      appendFileSync(${JSON.stringify(syncs)}, 'nobody reads');
      await rows.sync();
      await rows.close();`;
    execFileSync(process.execPath, ['--import', recorder, '--input-type=module', '-e', program], {
      env: { ...process.env, PLANLOG_TEST_SYNCS: syncs },
    });
    expect(readFileSync(syncs, 'utf8')).toBe(`sync ${file}-wal\nnobody reads`);
  });

  it('have their -wal copied by a thread, and written from its beginning again', async () => {
    const rows = await sqliteReadModels(own, {}, 128 * 1024).open(noteShape, 1);
    // A -wal that begins anew gets another salt.
    const salt = (): string => readFileSync(`${file}-wal`).subarray(16, 24).toString('hex');
    let round = 0;
    const commit = async (): Promise<void> => {
      round += 1;
      const some = Array.from({ length: 10 }, (_, key) => note(`k${key}`, `${round} `.repeat(900)));
      await rows.commit(some, at(round));
      await setTimeout(1);
    };
    await commit();
    const first = salt();
    while (salt() === first) await commit();
    const second = salt();
    while (salt() === second) await commit();
    const last = { row: { text: `${round} `.repeat(900) } };
    expect(await rows.get('k3')).toMatchObject(last);
    await rows.close();
    const again = await open();
    expect(await again.checkpoint()).toEqual(at(round));
    expect(await again.get('k3')).toMatchObject(last);
    await again.close();
  });
});

describe('the keeper of a -wal', () => {
  const entry = (name: string, code: string): URL => {
    const path = join(directory, name);
    writeFileSync(path, `import { parentPort } from 'node:worker_threads';\n${code}`);
    return pathToFileURL(path);
  };
  const PAGE = 4_096;

  it('copies twice, and lets nobody commit the second time', async () => {
    // The second copy takes until the test has seen the pause: it cannot come and go unseen.
    const channel = new BroadcastChannel(directory);
    const answers = `
      import { BroadcastChannel } from 'node:worker_threads';
      const seen = new BroadcastChannel(${JSON.stringify(directory)});
      let copies = 0;
      parentPort.on('message', () => {
        copies += 1;
        if (copies !== 2) parentPort.postMessage('done');
      });
      seen.onmessage = () => { seen.close(); parentPort.postMessage('done'); };`;
    const keeper = new WalKeeper('x', 4 * PAGE, () => undefined, entry('answers.mjs', answers));
    keeper.committed(2, 0);
    keeper.committed(0, 0);
    expect(keeper.pause).toBeUndefined();
    while (keeper.pause === undefined) await new Promise(setImmediate);
    const { pause } = keeper;
    channel.postMessage('the pause was seen');
    await pause;
    channel.close();
    await new Promise(setImmediate);
    expect(keeper.pause).toBeUndefined();
    await keeper.close();
  });

  it.each([
    ['at once', "throw new Error('no memory');"],
    ['at the first copy', "parentPort.on('message', () => { throw new Error('disk full'); });"],
    [
      'at the second copy',
      "let first = true; parentPort.on('message', () => { if (!first) throw new Error('disk full'); first = false; parentPort.postMessage('done'); });",
    ],
  ])('says when its thread is gone %s, and holds nobody up', async (name, code) => {
    const failed = jest.fn();
    const keeper = new WalKeeper('x', PAGE, failed, entry(`${name}.mjs`, code));
    keeper.committed(1, 0);
    while (failed.mock.calls.length === 0) {
      await keeper.pause;
      await new Promise(setImmediate);
    }
    expect(keeper.pause).toBeUndefined();
    keeper.committed(100, 0);
    await keeper.close();
    expect(failed).toHaveBeenCalledTimes(1);
  });
});
