/** Tool calls in the shapes that real agents send, each with its defined outcome. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { openTool } from './tool-app.js';

const FIXTURES = 'test/fixtures/tool-calls';

const fixture = z.strictObject({
  why: z.string(),
  arguments: z.unknown().optional(),
  expected: z.discriminatedUnion('isError', [
    z.strictObject({
      isError: z.literal(false),
      todos: z.array(z.unknown()),
      text: z.array(z.string()),
    }),
    z.strictObject({
      isError: z.literal(true),
      paths: z.array(z.string()),
      text: z.array(z.string()),
    }),
  ]),
});

const cases = readdirSync(FIXTURES).map((file) => ({
  name: file.replace('.json', ''),
  ...fixture.parse(JSON.parse(readFileSync(join(FIXTURES, file), 'utf8'))),
}));

it('there are many shapes', () => {
  expect(cases.length).toBeGreaterThan(50);
});

describe.each(cases)('$name: $why', ({ arguments: raw, expected }) => {
  it('has its defined outcome', async () => {
    const tool = await openTool();
    await tool.call({ todos: [{ content: 'standing', status: 'in_progress' }] });
    const result = await tool.call(raw, { callId: 'fixture' });
    const text = result.content[0].text;
    expect(result.isError).toBe(expected.isError);
    for (const part of expected.text) expect(text).toContain(part);
    if (!expected.isError) {
      expect(text).toMatch(
        /^Updated todo list: \d+ pending, \d+ in progress, \d+ completed\.(\n|$)/,
      );
      expect(result.structuredContent?.todos).toEqual(expected.todos);
      expect(await tool.written()).toEqual([expect.anything(), expected.todos]);
      return;
    }
    const paths = [...text.matchAll(/^- (\S+) /gm)].map(([, path]) => path);
    expect(paths).toEqual(expected.paths);
    expect(text).toContain('Current list: 0 pending, 1 in progress, 0 completed.');
    expect(result.structuredContent).toBeUndefined();
    expect(await tool.written()).toHaveLength(1);
  });
});
