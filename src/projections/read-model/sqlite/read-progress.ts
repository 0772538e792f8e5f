/** A look at how far a generation has come, while its owner writes it. */
import { existsSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import { z } from 'zod';
import { parseCheckpoint } from '../../runtime/checkpoint.js';
import type { RowsProgress } from '../read-model.js';
import { asReadModelError, damaged } from './file-format.js';

const line = z.object({
  checkpoint: z.string().nullable(),
  events: z.number(),
  change: z.number(),
  epoch: z.number().nullable(),
});

/**
 * @returns undefined where there is no file, or nothing in it yet
 * @throws {UnusableReadModelError}
 */
export function readProgress(path: string): RowsProgress | undefined {
  if (!existsSync(path)) return undefined;
  // A connection of its own, which cannot write, and is gone at once.
  const db = new DatabaseSync(path, { readOnly: true, timeout: 1_000 });
  try {
    const columns = db.prepare('SELECT name FROM pragma_table_info(?)');
    const names = z.array(z.object({ name: z.string() })).parse(columns.all('generation'));
    if (names.length === 0) return undefined;
    // Files of the first release do not count events until this one opens them.
    const counted = names.some(({ name }) => name === 'events');
    const found: unknown = db
      .prepare(
        `SELECT checkpoint, ${counted ? 'events' : '0 AS events'}, change, ` +
          '(SELECT max(epoch) FROM rows WHERE epoch > 0) AS epoch FROM generation',
      )
      .get();
    const { checkpoint: text, events, change, epoch } = line.parse(found);
    const checkpoint = text === null ? undefined : parseCheckpoint(text);
    if (text !== null && checkpoint === undefined) throw damaged(path);
    return { checkpoint, events, change, epoch: epoch ?? 0 };
  } catch (error) {
    throw asReadModelError(error, path);
  } finally {
    db.close();
  }
}
