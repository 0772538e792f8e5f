/** The index of rules names tests that there are. */
import { readFile } from 'node:fs/promises';

interface Row {
  readonly rule: string;
  readonly file: string;
  readonly title: string;
}

async function rows(): Promise<Row[]> {
  const index = await readFile('docs/rules.md', 'utf8');
  return [...index.matchAll(/^\| (?!rule |-)(.*?) +\| (.*?) +\| (.*?) +\|$/gm)].map(
    ([, rule = '', file = '', title = '']) => ({ rule, file: file.replaceAll('`', ''), title }),
  );
}

it('names a test for each rule', async () => {
  const found = await rows();
  expect(found.length).toBeGreaterThan(60);
  for (const row of found) {
    const source = await readFile(`test/${row.file}`, 'utf8').catch(() => '');
    // In a title: between quotes, on one line.
    const title = row.title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
    expect({ ...row, found: new RegExp(`(['"\`])[^\\n]*${title}[^\\n]*\\1`).test(source) }).toEqual(
      {
        ...row,
        found: true,
      },
    );
  }
});

it('has no line that only looks like a row', async () => {
  const index = await readFile('docs/rules.md', 'utf8');
  const lines = index.split('\n').filter((line) => line.startsWith('|'));
  const headings = lines.filter((line) => /^\| (rule |-)/.test(line)).length;
  expect((await rows()).length).toBe(lines.length - headings);
});
