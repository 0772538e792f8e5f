/** The events in memory for live pulls: bounded, and silent about what they no longer know. */
import { committedEvent } from '../../../../src/events/log/sqlite/stored-row.js';
import { TailBuffer } from '../../../../src/events/log/sqlite/tail-buffer.js';
import type { StoredEvent } from '../../../../src/events/log/event-log.js';

const BOUNDS = { maxEvents: 100, maxBytes: 1_000_000 };

function event(position: number, bytes = 10, stream = 's'): StoredEvent {
  const encoded = { id: `id-${position}`, type: 't', data: '{}', metadata: '{}', bytes };
  return committedEvent(BigInt(position), stream, BigInt(position), 0, encoded);
}

function positions(events: readonly StoredEvent[] | undefined): number[] | undefined {
  return events?.map(({ position }) => Number(position.commit));
}

describe('the tail of the log', () => {
  it('knows everything after the head it began at, and nothing before', () => {
    const tail = new TailBuffer(5n, { maxEvents: 10, maxBytes: 1_000 });
    expect(tail.after(4n, '', BOUNDS)).toBeUndefined();
    expect(tail.after(5n, '', BOUNDS)).toEqual({ events: [], checkpoint: 5n, end: true });
    tail.push(event(6));
    expect(positions(tail.after(5n, '', BOUNDS)?.events)).toEqual([6]);
    expect(tail.after(6n, '', BOUNDS)).toEqual({ events: [], checkpoint: 6n, end: true });
    expect(tail.after(9n, '', BOUNDS)).toEqual({ events: [], checkpoint: 9n, end: true });
  });

  it.each([
    { maxEvents: 3, maxBytes: 1_000 },
    { maxEvents: 1_000, maxBytes: 35 },
  ])('keeps the newest within %j', (limit) => {
    const tail = new TailBuffer(0n, limit);
    for (let at = 1; at <= 50; at += 1) {
      tail.push(event(at));
      const oldest = Math.max(0, at - 3);
      expect(tail.after(BigInt(oldest) - 1n, '', BOUNDS)).toBeUndefined();
      const known = Array.from({ length: at - oldest }, (_, index) => oldest + 1 + index);
      expect(positions(tail.after(BigInt(oldest), '', BOUNDS)?.events)).toEqual(known);
    }
  });

  it('keeps nothing of an event that is larger than all its room', () => {
    const tail = new TailBuffer(0n, { maxEvents: 3, maxBytes: 35 });
    tail.push(event(1));
    tail.push(event(2, 100));
    expect(tail.head).toBe(2n);
    expect(tail.after(1n, '', BOUNDS)).toBeUndefined();
    expect(tail.after(2n, '', BOUNDS)?.end).toBe(true);
  });

  it('stops a batch at its bounds, with the checkpoint before what is left', () => {
    const tail = new TailBuffer(0n, { maxEvents: 10, maxBytes: 1_000 });
    tail.push(event(1));
    tail.push(event(2, 10, 'other'));
    tail.push(event(3));
    tail.push(event(4));
    const page = tail.after(0n, 's', { ...BOUNDS, maxEvents: 1 });
    expect(positions(page?.events)).toEqual([1]);
    expect(page).toMatchObject({ checkpoint: 2n, end: false });
    const rest = tail.after(2n, 's', { ...BOUNDS, maxBytes: 20 });
    expect(positions(rest?.events)).toEqual([3, 4]);
    expect(rest?.end).toBe(true);
  });

  it('forgets what it is told nobody needs, and knows all the rest', () => {
    const tail = new TailBuffer(0n, { maxEvents: 10, maxBytes: 1_000 });
    for (let at = 1; at <= 50; at += 1) {
      tail.push(event(at));
      if (at % 3 === 0) tail.release(BigInt(at - 1));
      const floor = at < 3 ? 0 : at - (at % 3) - 1;
      const known = Array.from({ length: at - floor }, (_, index) => floor + 1 + index);
      expect(positions(tail.after(BigInt(floor), '', BOUNDS)?.events)).toEqual(known);
      expect(tail.after(BigInt(floor) - 1n, '', BOUNDS)).toBeUndefined();
    }
    tail.release(100n);
    expect(tail.after(50n, '', BOUNDS)).toEqual({ events: [], checkpoint: 50n, end: true });
    expect(tail.after(49n, '', BOUNDS)).toBeUndefined();
  });

  it('forgets truncated events and still knows where it stands', () => {
    const tail = new TailBuffer(0n, { maxEvents: 10, maxBytes: 1_000 });
    for (let at = 1; at <= 4; at += 1) tail.push(event(at, 10, at === 2 ? 'other' : 's'));
    tail.truncate('s', 4n);
    expect(positions(tail.after(0n, '', BOUNDS)?.events)).toEqual([2, 4]);
    expect(tail.after(0n, 'none', BOUNDS)).toEqual({ events: [], checkpoint: 4n, end: true });
  });
});
