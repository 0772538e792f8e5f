/**
 * Feeds one SSE stream with a tenant's changes. All it keeps is the number of the last change
 * that was sent: while a client does not read, nothing piles up, and when it reads again each
 * session is told once, as it is then.
 */
import type { OverviewChange } from '../../projections/session-overview/overview-item.js';
import type { SessionOverview } from '../../projections/session-overview/session-overview.js';
import { encodeFrame, encodeResumePoint, type EventStream } from '../sse/event-stream.js';

/** Changes read at once. */
const PAGE = 100;

/** Followers at one place share what they read, and so their frames. */
const frames = new WeakMap<OverviewChange, Buffer>();

export class OverviewFeed {
  /** The last change that was looked at: there is nothing to tell up to it. */
  private upTo: number;
  private reading = false;
  private again = false;
  private unsubscribe: (() => void) | undefined;

  /** @param seen the number of the last change that the client has seen */
  constructor(
    private readonly overview: SessionOverview,
    private readonly tenant: string,
    private readonly stream: EventStream,
    private seen: number,
  ) {
    this.upTo = seen;
  }

  /** Feeds the stream until it closes. */
  start(): void {
    this.unsubscribe = this.overview.follow(this.tenant, this.tell);
    this.stream.onceClosed(() => {
      this.unsubscribe?.();
    });
    // A client that is cut off before the first change resumes from here.
    this.stream.offer(encodeResumePoint(String(this.seen)));
    this.tell();
  }

  private readonly tell = (): void => {
    this.again = true;
    if (this.reading) return;
    this.reading = true;
    this.tellAll().then(
      () => {
        this.reading = false;
      },
      () => {
        // The read model is closed or damaged, which health tells: the client may try elsewhere.
        this.stream.end();
      },
    );
  };

  private async tellAll(): Promise<void> {
    while (this.again && this.stream.open) {
      // What is to be told is read when it can be told: it may have changed again by then.
      if (!this.stream.ready) {
        this.stream.onceReady(this.tell);
        return;
      }
      this.again = false;
      const last = await this.overview.lastChange();
      if (last <= this.upTo) continue;
      const changes = await this.overview.changesAfter(this.tenant, this.seen, PAGE);
      const all = changes.every((change) => this.send(change));
      if (all && changes.length < PAGE) this.upTo = Math.max(last, this.seen);
      else this.again = true;
    }
  }

  /** @returns false where the client has to take in first what was sent */
  private send(change: OverviewChange): boolean {
    if (!this.stream.offer(frameOf(change))) return false;
    this.seen = change.change;
    return true;
  }
}

function frameOf(change: OverviewChange): Buffer {
  const known = frames.get(change);
  if (known !== undefined) return known;
  const id = String(change.change);
  const frame =
    change.kind === 'deleted'
      ? encodeFrame('deleted', id, JSON.stringify({ sessionId: change.sessionId }))
      : encodeFrame('session', id, JSON.stringify(change.item));
  frames.set(change, frame);
  return frame;
}
