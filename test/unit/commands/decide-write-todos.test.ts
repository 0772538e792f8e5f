import type { Actor, ActorKind } from '../../../src/events/metadata.js';
import { ACTOR_KINDS } from '../../../src/events/metadata.js';
import { todoPolicySchema, type TodoPolicy } from '../../../src/commands/policy.js';
import type { Decide } from '../../../src/commands/session/session-transactions.js';
import {
  decideWriteTodos,
  type WriteTodosIntent,
} from '../../../src/commands/todo-write/decide-write-todos.js';
import { born, deleted, ended, given, item, start, wrote } from './session-scenario.js';

const strict = todoPolicySchema.parse({ allowParallelInProgress: false });
const parallel = todoPolicySchema.parse({ allowParallelInProgress: true });
const agent: Actor = { kind: 'agent', subject: 'local' };

const write =
  (
    todos: WriteTodosIntent['todos'],
    more: Partial<WriteTodosIntent> = {},
    policy: TodoPolicy = strict,
  ): Decide =>
  (state, known) =>
    decideWriteTodos(
      state,
      {
        repeats: 'key',
        actor: agent,
        turnId: 't1',
        todos,
        ifMatch: undefined,
        ...more,
      },
      policy,
      known,
    );
const written = (todos: WriteTodosIntent['todos'], turnId = 't1') =>
  ({ type: 'todo/write', data: { turnId, todos } }) as const;
const open = () => given(born(), start('t1'));

describe('WriteTodos', () => {
  it('writes the whole list into the open turn', () => {
    const todos = [item('a', 'in_progress'), item('b')];
    open().when(write(todos)).appends(written(todos));
  });

  it('an empty list is a valid write', () => {
    open().when(write([])).appends(written([]));
  });

  it('completes an item that was created in this turn (checklist-reports 56)', () => {
    given(born(), start('t1'), wrote('t1', [item('A')]))
      .when(write([item('A', 'completed')]))
      .appends(written([item('A', 'completed')]));
  });

  it.each(ACTOR_KINDS.filter((kind) => kind !== 'agent'))(
    'an actor of kind %s is refused, also where there is no session',
    (kind: ActorKind) => {
      const actor = { kind, subject: 'x' };
      open().when(write([], { actor })).refuses('actor_not_allowed');
      given().when(write([], { actor })).refuses('actor_not_allowed');
    },
  );

  it('needs a session', () => {
    given().when(write([])).refuses('session_not_found');
    given(born(), deleted()).when(write([])).refuses('session_deleted');
  });

  it('needs an open turn, whichever is named', () => {
    given(born()).when(write([])).refuses('turn_not_open');
    given(born(), start('t1'), ended('t1')).when(write([])).refuses('turn_not_open');
  });

  it('a late write of an old turn is refused and names the open one (checklist-reports 2, 47)', () => {
    given(born(), start('t1'), ended('t1'), start('t2'))
      .when(write([item('old')]))
      .refuses('turn_mismatch', { openTurnId: 't2' });
  });

  it('honours If-Match', () => {
    open()
      .when(write([], { ifMatch: [1n] }))
      .appends(written([]));
    open()
      .when(write([], { ifMatch: [0n, 7n] }))
      .refuses('revision_conflict', { currentRevision: 1n });
  });

  it('checks the turn before If-Match, and If-Match before the policy', () => {
    const busy = [item('a', 'in_progress'), item('b', 'in_progress')];
    open()
      .when(write(busy, { turnId: 't9', ifMatch: [0n] }))
      .refuses('turn_mismatch');
    open()
      .when(write(busy, { ifMatch: [0n] }))
      .refuses('revision_conflict');
    open().when(write(busy)).refuses('too_many_in_progress');
  });

  describe('repeated by key', () => {
    const first = [item('a')];
    const session = () =>
      given(born(), start('t1'), wrote('t1', first, 'k'), wrote('t1', [item('b')], 'l'));

    it('with equal content gives the first receipt, also after other writes', () => {
      session().when(write(first), 'k').repeats(2);
    });

    it('with other content is a conflict', () => {
      session()
        .when(write([item('z')]), 'k')
        .refuses('idempotency_conflict');
    });

    it('gives the first receipt though the turn has ended since', () => {
      given(born(), start('t1'), wrote('t1', first, 'k'), ended('t1'))
        .when(write(first), 'k')
        .repeats(2);
    });

    it('gives the first receipt under a policy that was tightened since', () => {
      const two = [item('a', 'in_progress'), item('b', 'in_progress')];
      given(born(), start('t1'), wrote('t1', two, 'k'))
        .when(write(two), 'k')
        .repeats(2);
    });
  });

  describe('repeated by call id', () => {
    const call = { repeats: 'call' } as const;
    const A = [item('A')];
    const B = [item('B')];

    it('is a retry when it matches the latest write', () => {
      given(born(), start('t1'), wrote('t1', A, 'call'))
        .when(write(A, call), 'call')
        .repeats(2);
    });

    it('is a new write when the content differs, never a conflict', () => {
      given(born(), start('t1'), wrote('t1', A, 'call'))
        .when(write(B, call), 'call')
        .appends(written(B));
    });

    it('A, B, A under one id ends as A', () => {
      given(born(), start('t1'), wrote('t1', A, 'call'), wrote('t1', B, 'call'))
        .when(write(A, call), 'call')
        .appends(written(A));
    });

    it('is a new write when another call wrote in between', () => {
      given(born(), start('t1'), wrote('t1', A, 'call'), wrote('t1', B, 'other'))
        .when(write(A, call), 'call')
        .appends(written(A));
    });
  });

  describe('policy', () => {
    const two = [item('a', 'in_progress'), item('b', 'in_progress'), item('c')];

    it('several in progress are refused, or allowed (checklist-reports 67)', () => {
      open()
        .when(write(two))
        .refuses('too_many_in_progress', { errors: [{ path: 'todos[1].status' }] });
      open()
        .when(write(two, {}, parallel))
        .appends(written(two));
    });

    it('a log with several in progress still replays under the stricter policy', () => {
      given(born(), start('t1'), wrote('t1', two)).when(write([])).appends(written([]));
    });

    it('maxItems: the most, and one more (checklist-reports 77)', () => {
      const list = (n: number) => Array.from({ length: n }, (_, i) => item(`item ${i}`));
      open()
        .when(write(list(200)))
        .appends(written(list(200)));
      const refused = open().when(write(list(201)));
      refused.refuses('invalid_todos');
      expect(JSON.stringify(refused.decision)).toContain('200 items (maxItems)');
    });

    it('maxContentLength counts code points (checklist-reports 73)', () => {
      const fits = [item('😀'.repeat(2_000))];
      open().when(write(fits)).appends(written(fits));
      const refused = open().when(write([item('ok'), item('😀'.repeat(2_000) + 'x')]));
      refused.refuses('invalid_todos', { errors: [{ path: 'todos[1].content' }] });
      expect(JSON.stringify(refused.decision)).toContain('2000 Unicode code points');
    });

    it('maxListBytes counts the list as JSON in UTF-8', () => {
      const policy = todoPolicySchema.parse({
        allowParallelInProgress: false,
        maxListBytes: 1_024,
      });
      const room = 1_024 - JSON.stringify([item('a')]).length;
      const fits = [item(`${'é'.repeat(Math.floor(room / 2))}${'a'.repeat((room % 2) + 1)}`)];
      expect(Buffer.byteLength(JSON.stringify(fits))).toBe(1_024);
      open()
        .when(write(fits, {}, policy))
        .appends(written(fits));
      const refused = open().when(write([item(`x${fits[0]?.content ?? ''}`)], {}, policy));
      refused.refuses('invalid_todos');
      expect(JSON.stringify(refused.decision)).toContain('1024 bytes');
    });

    it('one that allows more than the store carries is refused at start', () => {
      expect(() =>
        todoPolicySchema.parse({ allowParallelInProgress: false, maxListBytes: 1_048_576 }),
      ).toThrow();
      expect(() => todoPolicySchema.parse({})).toThrow(/allowParallelInProgress/);
    });
  });
});
