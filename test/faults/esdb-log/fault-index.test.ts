/** docs/eventstoredb-faults.md names a test for every fault that the log must stand. */
import { readFile } from 'node:fs/promises';

/** A and C: faults.md; E: eventstoredb.md 3; 0a: eventstoredb.md 0a. Not contiguous. */
const ROWS: readonly string[] = [
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => `A${n}`),
  ...[1, 2, 3, 5, 6, 7, 9, 17, 18, 19, 21, 22, 23, 27, 29].map((n) => `C ${n}`),
  ...[39, 41, 42, 43, 45, 46, 47, 59].map((n) => `C ${n}`),
  ...[13, 14, 25, 30, 34, 41, 42, 43].map((n) => `E ${n}`),
  ...['gzip', 'SIGKILL', 'SIGTERM', 'start', 'not ready', 'new leader', 'freeze', 'dispose'].map(
    (what) => `0a ${what}`,
  ),
  ...['clock', 'same id', 'truncated', 'own write', 'beyond', 'repeated', 'soft delete'].map(
    (what) => `0a ${what}`,
  ),
  ...['tombstone', '100 calls', 'secure', 'size', 'names'].map((what) => `0a ${what}`),
];

it('the index has every row, and the test it names says so in a title', async () => {
  const index = await readFile('docs/eventstoredb-faults.md', 'utf8');
  const rows = [...index.matchAll(/^\| ((?:A\d|[CE] \d|0a )[^|]*?) *\|[^|]*\| `([^`]+)` *\|$/gm)];
  expect(rows.map(([, row]) => row)).toEqual(ROWS);
  for (const [, row = '', path = ''] of rows) {
    const source = await readFile(path, 'utf8');
    // Titles and tables of titles are text; what a comment says proves nothing.
    const titles = [...source.matchAll(/'[^'\n]*'|"[^"\n]*"/g)].map(([text]) => text);
    const named = titles.some((title) => new RegExp(`\\b${row}\\b`).test(title));
    const inHead = new RegExp(`^/\\*\\*[^\\n]*\\b${row}\\b`).test(source);
    expect({ row, path, named: named || inHead }).toEqual({ row, path, named: true });
  }
});
