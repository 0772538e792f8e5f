/**
 * Sending events again: what is recognised, by which expectation, and what a restart forgets.
 */
import { ANY, NO_STREAM, STREAM_EXISTS, type AppendExpectedRevision } from '@eventstore/db-client';
import { append, onStandIn, read } from './stand-in-client.js';

const id = (letter: string) => `${letter.repeat(8)}-0000-4000-8000-000000000000`;
const A = id('a');
const B = id('b');
const C = id('c');
const D = id('d');

interface Row {
  readonly title: string;
  readonly expected: AppendExpectedRevision;
  readonly ids: readonly string[];
  readonly shown: string;
  /** What is stored then, beside a, b and c. */
  readonly added?: readonly string[];
  readonly afterRestart?: { readonly shown: string; readonly added?: readonly string[] };
}

const CONFLICT = 'WrongExpectedVersionError: ';

/** Each against a stream of a, b (one append with no_stream) and c. */
const ROWS: readonly Row[] = [
  { title: 'no_stream: all again', expected: NO_STREAM, ids: [A, B], shown: 'stored at 1' },
  { title: 'no_stream: a prefix', expected: NO_STREAM, ids: [A], shown: 'stored at 0' },
  {
    title: 'no_stream: over two appends',
    expected: NO_STREAM,
    ids: [A, B, C],
    shown: 'stored at 2',
  },
  {
    title: 'no_stream: one more than was',
    expected: NO_STREAM,
    ids: [A, B, C, D],
    shown: CONFLICT,
  },
  { title: 'no_stream: the first differs', expected: NO_STREAM, ids: [D], shown: CONFLICT },
  { title: 'no_stream: a later one differs', expected: NO_STREAM, ids: [A, D], shown: CONFLICT },
  { title: 'revision: again', expected: 1n, ids: [C], shown: 'stored at 2' },
  { title: 'revision: known elsewhere in the stream', expected: 1n, ids: [A], shown: CONFLICT },
  { title: 'revision: current', expected: 2n, ids: [A], shown: 'stored at 3', added: [`3:${A}`] },
  { title: 'revision: beyond', expected: 5n, ids: [C], shown: CONFLICT },
  {
    title: 'any: again',
    expected: ANY,
    ids: [B],
    shown: 'stored at 1',
    afterRestart: { shown: 'stored at 3', added: [`3:${B}`] },
  },
  {
    title: 'any: first known, then not',
    expected: ANY,
    ids: [A, D],
    shown: CONFLICT,
    afterRestart: { shown: 'stored at 4', added: [`3:${A}`, `4:${D}`] },
  },
  {
    title: 'any: first unknown',
    expected: ANY,
    ids: [D, A],
    shown: 'stored at 4',
    added: [`3:${D}`, `4:${A}`],
  },
  {
    title: 'stream_exists: again',
    expected: STREAM_EXISTS,
    ids: [C],
    shown: 'stored at 2',
    afterRestart: { shown: 'stored at 3', added: [`3:${C}`] },
  },
];

const CASES = ROWS.flatMap(({ afterRestart, added, shown, ...row }) => [
  { ...row, restarts: false, shown, added },
  { ...row, restarts: true, ...(afterRestart ?? { shown, added }) },
]);

describe('events sent again', () => {
  test.each(CASES)('$title (after a restart: $restarts)', ({ expected, ids, restarts, ...row }) =>
    onStandIn(async (scene) => {
      await append(scene, 's', NO_STREAM, [A, B]);
      await append(scene, 's', 1n, [C]);
      if (restarts) await scene.standIn.restart();
      // The first call after a restart finds the connection dead.
      if (restarts) await read(scene, 's');
      expect(await append(scene, 's', expected, ids)).toBe(row.shown);
      const stored = [`0:${A}`, `1:${B}`, `2:${C}`];
      expect(await read(scene, 's')).toEqual([...stored, ...(row.added ?? [])]);
    })(),
  );

  test(
    'to another stream are other events',
    onStandIn(async (scene) => {
      await append(scene, 's', ANY, [A]);
      expect(await append(scene, 't', ANY, [A])).toBe('stored at 0');
      expect(await read(scene, 't')).toEqual([`0:${A}`]);
    }),
  );

  test(
    'are forgotten by expectations of any revision once the cache is full',
    onStandIn(
      async (scene) => {
        await append(scene, 's', ANY, [A]);
        await append(scene, 's', ANY, [B, C]);
        expect(await append(scene, 's', ANY, [A])).toBe('stored at 3');
        expect(await append(scene, 's', NO_STREAM, [A])).toBe('stored at 0');
      },
      { rememberedIds: 2 },
    ),
  );
});
