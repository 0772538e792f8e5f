/** Reads what the embedded log has on disk, past all of its code. */
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { z } from 'zod';
import type { StoredFixture } from './stored-fixtures.js';

const rows = z.array(
  z.object({
    stream: z.string(),
    revision: z.number(),
    type: z.string(),
    data: z.instanceof(Uint8Array),
    metadata: z.instanceof(Uint8Array),
  }),
);

/** Every event in a closed log's directory, in the order of the log. */
export function readStoredBytes(directory: string): StoredFixture[] {
  const db = new DatabaseSync(join(directory, 'log.db'), { readOnly: true });
  try {
    const query =
      'SELECT s.name AS stream, e.revision AS revision, e.type AS type, ' +
      'CAST(e.data AS BLOB) AS data, CAST(e.metadata AS BLOB) AS metadata ' +
      'FROM events e JOIN streams s ON s.id = e.stream ORDER BY e.position';
    const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return rows.parse(db.prepare(query).all()).map((row) => ({
      stream: row.stream,
      revision: row.revision.toString(),
      type: row.type,
      data: strict.decode(row.data),
      metadata: strict.decode(row.metadata),
    }));
  } finally {
    db.close();
  }
}
