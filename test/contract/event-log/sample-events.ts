/** Events and small tools the suites of the event log share. */
import { randomUUID } from 'node:crypto';
import type {
  EventPuller,
  NewEvent,
  PulledBatch,
  StoredEvent,
} from '../../../src/events/log/event-log.js';

export function sample(data: Record<string, unknown> = {}, type = 'sample'): NewEvent {
  return { id: randomUUID(), type, data, metadata: { schemaVersion: 1 } };
}

export function samples(count: number): NewEvent[] {
  return Array.from({ length: count }, (_, index) => sample({ index }));
}

/** An event of exactly so many bytes, as the port counts them. */
export function sampleOfBytes(bytes: number): NewEvent {
  const event = sample({ text: '' });
  const { type, data, metadata } = event;
  const empty = JSON.stringify(data).length + JSON.stringify(metadata).length + type.length;
  return { ...event, data: { text: 'x'.repeat(bytes - empty) } };
}

export async function all(events: AsyncIterable<StoredEvent>): Promise<StoredEvent[]> {
  const list: StoredEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

/** Batches up to and including the first that has reached the head. */
export async function untilCaughtUp(puller: EventPuller): Promise<PulledBatch[]> {
  const batches: PulledBatch[] = [];
  for (;;) {
    const batch = await puller.next();
    if (batch === undefined) throw new Error('the pull ended before it had caught up');
    batches.push(batch);
    if (batch.caughtUp) return batches;
  }
}

export function eventsOf(batches: readonly PulledBatch[]): StoredEvent[] {
  return batches.flatMap((batch) => [...batch.events]);
}

export function ids(events: readonly { readonly id: string }[]): string[] {
  return events.map((event) => event.id);
}

/** The error a promise rejects with; fails when it does not. */
export async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error('it should have failed');
    },
    (error: unknown) => error,
  );
}

/** Waits for a condition, at most ten seconds. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 10_000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`not in ten seconds: ${condition.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
