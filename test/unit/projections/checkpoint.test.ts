/** Checkpoints: as text, and never backwards. */
import { positionOf } from '../../../src/events/log/position.js';
import {
  advance,
  formatCheckpoint,
  parseCheckpoint,
  startOf,
  type Checkpoint,
} from '../../../src/projections/runtime/checkpoint.js';
import { start, stored } from './session-scenario.js';

const checkpoint: Checkpoint = {
  kind: 'log',
  logId: 'log-1',
  position: { commit: 2n ** 63n, prepare: 2n ** 62n },
  event: { stream: 'agentSession-default.s1', revision: 2n ** 60n + 1n, id: 'e1' },
};

it('survives its text, both numbers of the position apart (faults.md C 1)', () => {
  expect(parseCheckpoint(formatCheckpoint(checkpoint))).toEqual(checkpoint);
  expect(parseCheckpoint(formatCheckpoint(startOf('log-1')))).toEqual(startOf('log-1'));
});

it('stays below 1 KB with the longest names there are (faults.md C 14)', () => {
  const stream = `agentSession-${'t'.repeat(63)}.${'s'.repeat(128)}`;
  const id = '00000000-0000-4000-8000-000000000000';
  const longest = { ...checkpoint, logId: id, event: { stream, revision: 2n ** 64n - 1n, id } };
  expect(Buffer.byteLength(formatCheckpoint(longest))).toBeLessThan(1_024);
});

it.each([
  '',
  '{',
  '"7"',
  '{"kind":"stream","logId":"a","position":"1","event":null}',
  '{"kind":"log","logId":"a","position":7,"event":null}',
  '{"kind":"log","logId":"a","position":"x","event":null}',
  '{"kind":"log","logId":"","position":"1","event":null}',
])('is not %s (faults.md C 26)', (text) => {
  expect(parseCheckpoint(text)).toBeUndefined();
});

describe('advance', () => {
  const [event] = stored([start]);

  it('takes the position and the last event', () => {
    expect(advance(startOf('log-1'), positionOf(5n), event)).toEqual({
      kind: 'log',
      logId: 'log-1',
      position: positionOf(5n),
      event: { stream: event?.stream, revision: event?.revision, id: event?.id },
    });
  });

  it('keeps the last event where the batch had none', () => {
    const at = { ...checkpoint, position: positionOf(5n) };
    expect(advance(at, positionOf(6n), undefined)).toMatchObject({
      position: positionOf(6n),
      event: at.event,
    });
  });

  it('never goes back, nor stands for a lower or equal position (faults.md C 2)', () => {
    const at = { ...checkpoint, position: positionOf(5n) };
    for (const sequence of [0n, 4n, 5n]) {
      expect(advance(at, positionOf(sequence), event)).toBe(at);
    }
  });
});
