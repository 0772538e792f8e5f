/** The lists that the load writes: eight items of 60 characters, another list each time. */

export const ITEMS = 8;
const CONTENT_LENGTH = 60;
const STATUSES = [
  'completed',
  'completed',
  'completed',
  'in_progress',
  'pending',
  'pending',
  'pending',
  'pending',
];
const WORK = [
  'Read the failing test and write down what it expects of',
  'Find every caller of the function that is to change in',
  'Move the validation in front of the first side effect of',
  'Add the missing index and measure the query again for',
  'Replace the retry loop by one with a limit and jitter in',
  'Write the migration, and the way back from it, for',
  'Check the error text against the contract and fix it in',
  'Run the whole suite once more and note what is slow in',
];

/** A list. Every list has the same length in bytes, so that requests differ in content only. */
export function makeTodos(seed) {
  return STATUSES.map((status, index) => ({ content: contentOf(seed, index), status }));
}

/** Bodies of writes to a turn, all different. */
export function makeBodies(turnId, count) {
  return Array.from({ length: count }, (_, seed) =>
    JSON.stringify({ turnId, todos: makeTodos(seed) }),
  );
}

function contentOf(seed, index) {
  const mark = `#${String((seed * 7919 + index * 31) % 100_000).padStart(5, '0')}`;
  const text = WORK[(seed + index) % ITEMS];
  return `${text.slice(0, CONTENT_LENGTH - mark.length - 1).padEnd(CONTENT_LENGTH - mark.length, '.')}${mark}`;
}
