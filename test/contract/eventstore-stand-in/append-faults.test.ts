/**
 * Each switch that makes appends go wrong, and what the real client then shows.
 */
import { NO_STREAM } from '@eventstore/db-client';
import {
  append,
  appendAlone,
  event,
  isPending,
  onStandIn,
  outcome,
  read,
} from './stand-in-client.js';

const ID = '11111111-1111-4111-8111-111111111111';

describe('an append that is never answered', () => {
  test.each([
    ['stored', [`0:${ID}`]],
    ['dropped', 'StreamNotFoundError: s not found'],
  ] as const)('is pending for ever, and %s', (silentAppends, stored) =>
    onStandIn(async (scene) => {
      scene.standIn.faults.set({ silentAppends });
      const silent = append(scene, 's', NO_STREAM, [ID]);
      await scene.standIn.observed.until(({ appends }) => appends.received === 1);
      expect(await read(scene, 's')).toEqual(stored);
      expect(await isPending(silent)).toBe(true);

      scene.standIn.faults.clear();
      expect(await append(scene, 's', NO_STREAM, [ID])).toBe('stored at 0');
      expect(await read(scene, 's')).toEqual([`0:${ID}`]);
    })(),
  );
});

describe('an append that goes wrong', () => {
  const rows = [
    ['unavailable', 'UnavailableError: 14 UNAVAILABLE: Unavailable'],
    ['shutting-down', 'UnavailableError: 14 UNAVAILABLE: Server Is Shutting Down'],
    ['internal', 'UnknownError: 13 INTERNAL: Internal'],
    ['handler-exception', 'UnknownError: 2 UNKNOWN: Exception was thrown by handler.'],
    ['aborted', 'TimeoutError: 10 ABORTED: Operation timed out: Commit phase timeout'],
    ['reset', 'UnavailableError: 14 UNAVAILABLE: read ECONNRESET'],
    ['timeout-reply', 'DeadlineExceededError: '],
    ['unknown-reply', 'UnknownError: '],
  ] as const;

  test.each(rows)('by %s before it is stored is not there', (how, shown) =>
    onStandIn(async (scene) => {
      expect(await append(scene, 'first')).toBe('stored at 0');
      scene.standIn.faults.set({ failAppends: { how, when: 'before-commit', times: 1 } });
      expect(await append(scene, 's', NO_STREAM, [ID])).toBe(shown);
      expect(await read(scene, 's')).toBe('StreamNotFoundError: s not found');
      expect(await append(scene, 's', NO_STREAM, [ID])).toBe('stored at 0');
    })(),
  );

  test.each(rows)('by %s after it was stored is there once, when sent again too', (how, shown) =>
    onStandIn(async (scene) => {
      expect(await append(scene, 'first')).toBe('stored at 0');
      scene.standIn.faults.set({ failAppends: { how, when: 'after-commit', times: 1 } });
      expect(await append(scene, 's', NO_STREAM, [ID])).toBe(shown);
      expect(await append(scene, 's', NO_STREAM, [ID])).toBe('stored at 0');
      expect(await read(scene, 's')).toEqual([`0:${ID}`]);
    })(),
  );

  test(
    'is the one that was picked: after others, of a stream, so many times',
    onStandIn(async (scene) => {
      const failAppends = {
        how: 'timeout-reply',
        when: 'before-commit',
        after: 1,
        times: 2,
        streamPrefix: 's',
      } as const;
      scene.standIn.faults.set({ failAppends });
      const outcomes = [];
      for (const stream of ['s1', 'other', 's2', 's3', 's4']) {
        outcomes.push((await append(scene, stream)).split(':')[0]);
      }
      const failed = 'DeadlineExceededError';
      expect(outcomes).toEqual(['stored at 0', 'stored at 0', failed, failed, 'stored at 0']);
    }),
  );
});

describe('a batch stream that the server ends with OK', () => {
  test(
    'leaves its append pending, and every later one of that client',
    onStandIn(async (scene) => {
      const { standIn } = scene;
      standIn.faults.set({ failAppends: { how: 'end-ok', when: 'before-commit', times: 1 } });
      const first = append(scene, 's1');
      await standIn.observed.until(({ appends }) => appends.received === 1);
      const second = append(scene, 's2');
      await read(scene, 's1');
      expect([await isPending(first), await isPending(second)]).toEqual([true, true]);
      expect(standIn.observed.appends.received).toBe(1);
    }),
  );

  test(
    'can be ended from outside too',
    onStandIn(async (scene) => {
      await append(scene, 's1');
      scene.standIn.endBatchStreams();
      const later = append(scene, 's2');
      await read(scene, 's1');
      expect(await isPending(later)).toBe(true);
    }),
  );

  test(
    'with an error it rejects what is pending, and the next append opens another',
    onStandIn(async (scene) => {
      const { standIn } = scene;
      standIn.faults.set({ silentAppends: 'dropped' });
      const pending = append(scene, 's1');
      await standIn.observed.until(({ appends }) => appends.received === 1);
      standIn.faults.clear();
      standIn.endBatchStreams('unavailable');
      expect(await pending).toBe('UnavailableError: 14 UNAVAILABLE: Unavailable');
      expect(await append(scene, 's1')).toBe('stored at 0');
      expect(standIn.observed.count('Streams/BatchAppend')).toBe(2);
    }),
  );
});

describe('a server that is not ready', () => {
  const NOT_READY = 'UnavailableError: 14 UNAVAILABLE: Server Is Not Ready';
  const NOT_RECOGNISED = 'UnknownError: Could not recognize Server Is Not Ready';

  test(
    'says so to each kind of call in its way, and reads work before appends do',
    onStandIn(async (scene) => {
      const { faults } = scene.standIn;
      faults.set({ notReady: 'all' });
      expect(await append(scene, 's')).toBe(NOT_RECOGNISED);
      expect(await read(scene, 's')).toBe(NOT_READY);
      expect(await appendAlone(scene, 's')).toBe(NOT_READY);

      faults.set({ notReady: 'appends' });
      expect(await append(scene, 's')).toBe(NOT_RECOGNISED);
      expect(await read(scene, 's')).toBe('StreamNotFoundError: s not found');

      faults.clear();
      expect(await append(scene, 's')).toBe('stored at 0');
    }),
  );
});

describe('the clock of the client', () => {
  test(
    'behind that of the server makes batch appends late at once, and others not',
    onStandIn(async (scene) => {
      scene.standIn.faults.set({ clockAheadMs: 30_000 });
      expect(await append(scene, 's')).toBe('DeadlineExceededError: ');
      expect(await read(scene, 's')).toBe('StreamNotFoundError: s not found');
      expect(await appendAlone(scene, 's')).toBe('stored at 0');
    }),
  );
});

describe('a slow server', () => {
  test(
    'answers in order, later',
    onStandIn(async (scene) => {
      await append(scene, 'first');
      scene.standIn.faults.set({ slow: { appendMs: 50, readMs: 5 } });
      const before = performance.now();
      const both = await Promise.all([append(scene, 's'), append(scene, 's', 0n)]);
      expect(both).toEqual(['stored at 0', 'stored at 1']);
      expect(await read(scene, 's')).toHaveLength(2);
      expect(performance.now() - before).toBeGreaterThan(55);
    }),
  );

  test(
    'that is killed has not stored what it was slow with',
    onStandIn(async (scene) => {
      const { standIn } = scene;
      expect(await append(scene, 'first')).toBe('stored at 0');
      standIn.faults.set({ slow: { appendMs: 50 } });
      const slow = append(scene, 's', NO_STREAM, [ID]);
      await standIn.observed.until(({ appends }) => appends.received === 2);
      await standIn.restart();
      expect(await slow).toBe('UnavailableError: 14 UNAVAILABLE: read ECONNRESET');
      expect(await append(scene, 's', NO_STREAM, [ID])).toBe('stored at 0');
    }),
  );
});

describe('access', () => {
  test(
    'denied to everything shows in each kind of call',
    onStandIn(async (scene) => {
      scene.standIn.faults.set({ deny: 'everything' });
      expect(await append(scene, 's')).toBe('AccessDeniedError: ');
      expect(await appendAlone(scene, 's')).toMatch('AccessDeniedError: 7 PERMISSION_DENIED');
      expect(await read(scene, 's')).toMatch('AccessDeniedError: 7 PERMISSION_DENIED');
    }),
  );
});

describe('calls that fail by kind', () => {
  test(
    'the question for methods gives a raw gRPC error',
    onStandIn(async (scene) => {
      scene.standIn.faults.set({ failCalls: { how: 'unavailable', calls: ['features'] } });
      const failed = await scene.client
        .appendToStream('s', event(), { expectedRevision: NO_STREAM })
        .catch((error: unknown) => error);
      expect(failed).toMatchObject({ code: 14, details: 'Unavailable' });
      expect(failed).not.toHaveProperty('type');
    }),
  );

  test(
    'reads, appends and deletes fail apart from each other',
    onStandIn(async (scene) => {
      const { faults } = scene.standIn;
      await append(scene, 's');
      faults.set({ failCalls: { how: 'internal', calls: ['read', 'delete'] } });
      expect(await read(scene, 's')).toBe('UnknownError: 13 INTERNAL: Internal');
      expect(await outcome(scene.client.deleteStream('s'))).toMatch('13 INTERNAL');
      expect(await append(scene, 's', 0n)).toBe('stored at 1');
      faults.set({ failCalls: { how: 'cancelled', calls: ['append'] } });
      expect(await append(scene, 's', 1n)).toMatch('CancelledError: 1 CANCELLED');
    }),
  );
});
