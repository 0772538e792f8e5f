import fc from 'fast-check';
import { parseTodos } from '../../../src/commands/todo-write/parse-todos.js';
import {
  codePointLength,
  contentKey,
  normaliseContent,
} from '../../../src/commands/todo-write/todo-content.js';

const P = 'pending';
const parse = (...items: unknown[]) => parseTodos(items);
const contents = (...texts: string[]) => parse(...texts.map((content) => ({ content, status: P })));
const stored = (text: string) => {
  const parsed = contents(text);
  return parsed.ok ? parsed.todos[0]?.content : parsed.errors;
};

describe('an item', () => {
  it('keeps its place, its text and its status', () => {
    const todos = [
      { content: 'b', status: 'completed' },
      { content: 'a', status: 'in_progress' },
      { content: 'c', status: 'pending' },
    ];
    expect(parse(...todos)).toEqual({ ok: true, todos });
  });

  it.each([
    ['null', null],
    ['a number', 7],
    ['a string (checklist-reports 59)', 'abc'],
    ['a list', []],
  ])('that is %s is named by its index', (_, item) => {
    expect(parse({ content: 'a', status: P }, item)).toMatchObject({
      ok: false,
      errors: [{ path: 'todos[1]' }],
    });
  });

  it.each(['done', 'cancelled', 'Completed', 'in-progress', 'blocked', '', null, 1, undefined])(
    'with the status %p is refused, and the legal ones are said (checklist-reports 64, 65)',
    (status) => {
      const parsed = parse({ content: 'a', status });
      expect(parsed).toMatchObject({ ok: false, errors: [{ path: 'todos[0].status' }] });
      expect(JSON.stringify(parsed)).toContain('in_progress');
    },
  );

  it('with an unknown field is refused', () => {
    expect(parse({ content: 'a', status: P, id: '1' })).toMatchObject({
      ok: false,
      errors: [{ path: 'todos[0].id' }],
    });
    const proto: unknown = JSON.parse('{"content":"a","status":"pending","__proto__":{"x":1}}');
    expect(parse(proto)).toMatchObject({ ok: false, errors: [{ path: 'todos[0].__proto__' }] });
  });

  it('with several faults has each of them named', () => {
    expect(parse({ content: ' ', status: 'done' }, { status: P })).toMatchObject({
      errors: [
        { path: 'todos[0].content' },
        { path: 'todos[0].status' },
        { path: 'todos[1].content' },
      ],
    });
  });

  it('is not counted without bound: a hostile list gets a short answer', () => {
    const parsed = parseTodos(new Array(200_000).fill(null));
    expect(parsed.ok).toBe(false);
    if (parsed.ok) return;
    expect(parsed.errors).toHaveLength(101);
    expect(parsed.errors.at(-1)).toEqual({ path: 'todos', message: 'has 199900 more faults' });
  });
});

describe('a list', () => {
  it.each([[undefined], [null], ['abc'], [{}], [3], ["[{'content': 'a'}]"]])(
    'that is %p is refused, and the shape is said',
    (raw) => {
      const parsed = parseTodos(raw);
      expect(parsed).toMatchObject({ ok: false, errors: [{ path: 'todos' }] });
      expect(JSON.stringify(parsed)).toContain('array of items');
    },
  );

  it('may be empty', () => {
    expect(parseTodos([])).toEqual({ ok: true, todos: [] });
  });

  it('keeps the order of twelve items (checklist-reports 50)', () => {
    const texts = Array.from({ length: 12 }, (_, i) => String(i + 1));
    const parsed = contents(...texts);
    expect(parsed.ok && parsed.todos.map((todo) => todo.content)).toEqual(texts);
  });
});

it('whatever comes in is a list that may be stored, or has its faults named', () => {
  const content = fc.oneof(
    fc.constantFrom('a', 'b', ' a', '', '\ud800', 'é', 'e\u0301'),
    fc.string(),
  );
  const status = fc.oneof(
    fc.constantFrom('pending', 'in_progress', 'completed', 'done'),
    fc.anything(),
  );
  const item = fc.oneof(
    { weight: 8, arbitrary: fc.record({ content, status }) },
    { weight: 1, arbitrary: fc.record({ content, status, id: fc.string() }, { requiredKeys: [] }) },
    { weight: 1, arbitrary: fc.anything() },
  );
  fc.assert(
    fc.property(fc.array(item, { maxLength: 5 }), (raw) => {
      const parsed = parseTodos(raw);
      if (!parsed.ok) {
        expect(parsed.errors).not.toEqual([]);
        return;
      }
      expect(parsed.todos).toHaveLength(raw.length);
      expect(parseTodos(parsed.todos)).toEqual(parsed);
      const keys = parsed.todos.map((todo) => todo.content.normalize('NFC'));
      expect(new Set(keys).size).toBe(keys.length);
    }),
    { numRuns: 2_000 },
  );
});

describe('content', () => {
  it.each([
    ['trimmed', '  a\u00a0\n', 'a'],
    ['CRLF becomes LF', 'a\r\nb', 'a\nb'],
    ['line feeds and tabs stay (checklist-reports 70, 71)', 'a\nb\tc', 'a\nb\tc'],
    ['an escaped newline stays two characters', 'a\\nb', 'a\\nb'],
    ['emoji with joiners', '👩‍👩‍👧 done', '👩‍👩‍👧 done'],
    ['a format character inside visible text', 'a\u200bb', 'a\u200bb'],
    ['NFD is stored as it came', 'e\u0301', 'e\u0301'],
  ])('%s', (_, raw, expected) => {
    expect(stored(raw)).toBe(expected);
  });

  it.each([
    ['nothing', ''],
    ['white space (checklist-reports 26)', '  '],
    ['a zero-width space', '\u200b'],
    ['a byte order mark', '\ufeff'],
    ['a Hangul filler', '\u3164'],
    ['a soft hyphen', '\u00ad'],
    ['a blank Braille cell', '\u2800'],
    ['direction marks', '\u202e\u2069'],
    ['variation selectors', '\ufe0f'],
  ])('of %s is blank', (_, raw) => {
    expect(stored(raw)).toEqual([
      { path: 'todos[0].content', message: 'must have at least one visible character' },
    ]);
  });

  it.each([
    ['a lone high surrogate', 'a\ud800b'],
    ['a lone low surrogate', '\udc00'],
    ['NUL', 'a\0b'],
    ['a lone carriage return', 'a\rb'],
    ['escape', '\u001b[31mred'],
    ['DEL', 'a\u007f'],
    ['a C1 control', 'a\u0085b'],
  ])('with %s is refused', (_, raw) => {
    expect(stored(raw)).toMatchObject([{ path: 'todos[0].content' }]);
  });

  it.each([
    ['equal', 'a', 'a'],
    ['equal after trim', 'a', ' a '],
    ['equal after NFC (checklist-reports 74)', '\u00e9', 'e\u0301'],
    ['equal after CRLF', 'a\nb', 'a\r\nb'],
  ])('%s twice is refused, and both places are named', (_, one, two) => {
    expect(contents('x', one, two)).toEqual({
      ok: false,
      errors: [{ path: 'todos[2].content', message: 'must be unique: it repeats todos[1]' }],
    });
  });

  it('that differs in case is another item', () => {
    expect(contents('Fix bug', 'fix bug').ok).toBe(true);
  });

  it('is counted in code points', () => {
    expect(codePointLength('a😀é')).toBe(3);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(codePointLength(text)).toBe(Array.from(text).length);
      }),
    );
  });

  it('normalising twice is normalising once, and the fast way agrees with the rule', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (raw) => {
        const once = normaliseContent(raw);
        if (!once.ok) return;
        expect(normaliseContent(once.content)).toEqual(once);
        expect(once.content).toBe(once.content.trim());
        expect(contentKey(once.content)).toBe(once.content.normalize('NFC'));
      }),
    );
  });
});
