/** A consumer that remembers what it was given. */
import type { StoredEvent } from '../../../src/events/log/event-log.js';
import type { Position } from '../../../src/events/log/position.js';
import type { Checkpoint } from '../../../src/projections/runtime/checkpoint.js';
import type { Consumer } from '../../../src/projections/runtime/consumer.js';

export class RecordingConsumer implements Consumer {
  readonly name = 'recording';
  readonly prefix = 'agentSession-';
  readonly handled: string[] = [];
  stored: Checkpoint | undefined;
  position: Position | undefined;
  commits = 0;
  awaited = false;
  /** Runs before a batch with events is kept; may throw or wait. */
  before: (events: readonly StoredEvent[]) => Promise<void> | void = () => undefined;

  checkpoint(): Promise<Checkpoint | undefined> {
    return Promise.resolve(this.stored);
  }

  async commit(events: readonly StoredEvent[], checkpoint: Checkpoint): Promise<void> {
    if (events.length > 0) await this.before(events);
    this.commits += 1;
    this.handled.push(
      ...events.map(({ stream, revision }) => `${stream.slice(-1)}${revision.toString()}`),
    );
    this.stored = checkpoint;
  }

  reached(position: Position): void {
    this.position = position;
  }

  isAwaited(): boolean {
    return this.awaited;
  }
}
