/** A log in memory whose pulls can be made to fail, end or fall silent. */
import { randomUUID } from 'node:crypto';
import type {
  EventLog,
  EventPuller,
  PulledBatch,
  PullOptions,
} from '../../../src/events/log/event-log.js';
import { ConflictError } from '../../../src/events/log/errors.js';
import type { Position } from '../../../src/events/log/position.js';
import { MemoryEventLog } from '../../../src/testing/memory-event-log.js';
import type { Told } from '../../unit/projections/session-scenario.js';

export class FaultyLog extends MemoryEventLog {
  /** Asked before each `next()`; what it returns is returned, `pass` goes on to the log. */
  onNext: (call: number) => 'pass' | 'silent' | 'end' | Error = () => 'pass';
  pulls = 0;
  live = 0;
  mostLive = 0;
  calls = 0;
  pulled = 0;
  readonly after: Position[] = [];

  override pull(options: PullOptions): EventPuller {
    const puller = super.pull(options);
    this.pulls += 1;
    this.live += 1;
    this.mostLive = Math.max(this.mostLive, this.live);
    this.after.push(options.after);
    let open = true;
    let release: (batch: undefined) => void = () => undefined;
    return {
      next: async (): Promise<PulledBatch | undefined> => {
        this.calls += 1;
        const answer = this.onNext(this.calls);
        if (answer instanceof Error) throw answer;
        if (answer === 'end') return undefined;
        if (answer === 'silent') {
          return new Promise<undefined>((resolve) => {
            release = resolve;
          });
        }
        const batch = await puller.next();
        this.pulled += batch?.events.length ?? 0;
        return batch;
      },
      close: async () => {
        if (open) this.live -= 1;
        open = false;
        release(undefined);
        await puller.close();
      },
    };
  }
}

/** Appends events to a stream wherever it ends. */
export async function tell(
  log: EventLog,
  stream: string,
  ...told: readonly Told[]
): Promise<Position> {
  const events = told.map(({ type, data }) => ({
    id: randomUUID(),
    type,
    data: Object(data) as Record<string, unknown>,
    metadata: {},
  }));
  try {
    return (await log.append(stream, 'no_stream', events)).position;
  } catch (error) {
    if (!(error instanceof ConflictError) || error.actualRevision === null) throw error;
    return (await log.append(stream, error.actualRevision, events)).position;
  }
}

/** Waits for a condition, with a limit. */
export async function until(condition: () => boolean, limitMs = 5_000): Promise<void> {
  const end = Date.now() + limitMs;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`not so after ${limitMs} ms: ${condition.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
