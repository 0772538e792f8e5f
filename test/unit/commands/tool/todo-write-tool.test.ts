import { openTool } from './tool-app.js';

const list = (...contents: string[]) => ({
  todos: contents.map((content) => ({ content, status: 'pending' })),
});
const text = (result: { content: readonly [{ text: string }] }) => result.content[0].text;

describe('a call that is accepted', () => {
  it('says the counts and returns the list with its revision', async () => {
    const tool = await openTool();
    const todos = [
      { content: 'a', status: 'pending' },
      { content: 'b', status: 'in_progress' },
    ];
    expect(await tool.call({ todos })).toEqual({
      isError: false,
      content: [
        { type: 'text', text: 'Updated todo list: 1 pending, 1 in progress, 0 completed.' },
      ],
      structuredContent: {
        todos,
        counts: { pending: 1, inProgress: 1, completed: 0, total: 2 },
        revision: '2',
      },
    });
  });

  it('names each dropped field once, then the hints', async () => {
    const tool = await openTool();
    const todos = [
      { content: 'a', status: 'pending', id: '1', priority: 'high' },
      { content: 'b', status: 'pending', id: '2', activeForm: 'x' },
    ];
    expect(text(await tool.call({ todos }))).toBe(
      [
        'Updated todo list: 2 pending, 0 in progress, 0 completed.',
        'Dropped fields that items do not have: id, priority, activeForm.',
        '2 tasks remain and none is in progress.',
      ].join('\n'),
    );
  });
});

describe('reused call ids', () => {
  it('one id with lists A, B, A ends as A', async () => {
    const tool = await openTool();
    for (const content of ['A', 'B', 'A']) {
      expect((await tool.call(list(content))).isError).toBe(false);
    }
    expect(await tool.written()).toEqual(['A', 'B', 'A'].map((content) => list(content).todos));
  });

  it('the same id with the same list is a retry: the same answer, one write', async () => {
    const tool = await openTool();
    const first = await tool.call(list('A'));
    expect(await tool.call(list('A'))).toEqual(first);
    expect(await tool.written()).toHaveLength(1);
  });

  it('a retry may differ in what is dropped: the list is what counts', async () => {
    const tool = await openTool();
    await tool.call(list('A'));
    const again = await tool.call({ todos: [{ content: 'A', status: 'pending', id: '1' }] });
    expect(again.isError).toBe(false);
    expect(await tool.written()).toHaveLength(1);
  });

  it('the same id in the next turn is a new write', async () => {
    const tool = await openTool();
    await tool.call(list('A'));
    await tool.start('t2');
    expect(await tool.call(list('A'), { turnId: 't2' })).toMatchObject({
      structuredContent: { revision: '5' },
    });
  });
});

describe('what the model is told of a refusal', () => {
  it('the same bad call is the same answer and no change (checklist-reports 68)', async () => {
    const tool = await openTool();
    const bad = { todos: [{ content: 'a', status: 'done' }] };
    const answers = [await tool.call(bad), await tool.call(bad), await tool.call(bad)];
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    expect(await tool.written()).toEqual([]);
  });

  it('reads whole', async () => {
    const tool = await openTool();
    await tool.call(list('standing'));
    expect(text(await tool.call({ todos: [{ content: '', status: 'done' }] }))).toBe(
      [
        'The todo list was not changed. The list is not valid. Correct each fault and send the whole list again.',
        '- todos[0].content must have at least one visible character',
        '- todos[0].status must be one of "pending", "in_progress", "completed"',
        'Current list: 1 pending, 0 in progress, 0 completed.',
        'Send the whole list again, such as {"todos":[{"content":"Run the tests","status":"pending"}]}.',
      ].join('\n'),
    );
  });

  it.each([
    ['no session', { withTurn: false }, {}, 'no such session'],
    ['another turn', {}, { turnId: 't9' }, 'Turn t1 is open, not t9'],
    ['another actor', {}, { kind: 'plan' }, 'not an actor of kind plan'],
  ] as const)('%s', async (_, given, call, part) => {
    const tool = await openTool(given);
    const result = await tool.call(list('a'), call);
    expect(result.isError).toBe(true);
    expect(text(result)).toContain(part);
    expect(await tool.written()).toEqual([]);
  });

  it('two in progress are refused or allowed by the policy', async () => {
    const two = {
      todos: ['a', 'b'].map((content) => ({ content, status: 'in_progress' })),
    };
    expect((await (await openTool()).call(two)).isError).toBe(true);
    expect((await (await openTool({ allowParallelInProgress: true })).call(two)).isError).toBe(
      false,
    );
  });

  it('an If-Match that fails is not the model’s to correct', async () => {
    const tool = await openTool();
    await expect(tool.call(list('a'), { ifMatch: [0n] })).rejects.toMatchObject({
      code: 'revision_conflict',
    });
  });

  it('a store that is away is not the model’s to correct, for a bad list too', async () => {
    const tool = await openTool();
    await tool.log.close();
    for (const raw of [list('a'), { todos: 'x' }]) {
      await expect(tool.call(raw)).rejects.toMatchObject({ code: 'store_unavailable' });
    }
  });
});
