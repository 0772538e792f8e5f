/** What of a server's checkpoint is taken. */
import { checkpointPosition } from '../../../../../src/events/log/esdb/checkpoint-position.js';

describe('a checkpoint from the server', () => {
  it.each([
    ['of a live filter', { commit: 5_000n, prepare: 5_000n }, 5_000n],
    [
      'at the end of the log: nothing lies between the two (C 1)',
      { commit: 5_200n, prepare: 5_000n },
      5_000n,
    ],
    ['with numbers beyond 2^53', { commit: 2n ** 60n, prepare: 2n ** 60n }, 2n ** 60n],
  ])('%s', (_, raw, at) => {
    expect(checkpointPosition(raw)).toEqual({ commit: at, prepare: at });
  });

  it.each([
    ['a prepare of 0 (C 30)', { commit: 5_000n, prepare: 0n }],
    ['the highest int64', { commit: 2n ** 63n - 1n, prepare: 2n ** 63n - 1n }],
    ['the highest uint64', { commit: 2n ** 64n - 1n, prepare: 2n ** 64n - 1n }],
    ['the start', { commit: 0n, prepare: 0n }],
  ])('says nothing: %s', (_, raw) => {
    expect(checkpointPosition(raw)).toBeUndefined();
  });
});
