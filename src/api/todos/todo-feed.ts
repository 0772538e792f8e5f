/**
 * Feeds one SSE stream with a session's snapshots: the current one first, then what is newer,
 * versions strictly rising.
 */
import type { SessionRef } from '../../events/session-stream.js';
import {
  compareVersions,
  isNewer,
  type SessionSnapshot,
  type SnapshotVersion,
} from '../../projections/session-todos/session-snapshot.js';
import type { SessionTodos } from '../../projections/session-todos/session-todos.js';
import { formatVersion } from '../request/entity-tags.js';
import { encodeFrame, type EventStream } from '../sse/event-stream.js';

/** How long the first frame waits for the version that the client has seen already. */
const RESUME_WAIT_MS = 5_000;

/** Snapshots are shared by all subscribers, and so are their frames. */
const frames = new WeakMap<SessionSnapshot, Buffer>();

export class TodoFeed {
  /** The newest snapshot that was not shown yet. */
  private held: SessionSnapshot | undefined;
  private shown: SnapshotVersion | undefined;
  private stream: EventStream | undefined;
  private resumeTimer: NodeJS.Timeout | undefined;
  /** The read model is not served any more: the client has to come again, and is told why. */
  private refused = false;
  private readonly unsubscribe: () => void;

  /**
   * Subscribes at once, so that nothing between the first snapshot and the stream is missed.
   *
   * @param atLeast what the client has seen: the first frame is not older, where that can be
   */
  constructor(
    private readonly todos: SessionTodos,
    private readonly session: SessionRef,
    private atLeast: SnapshotVersion | undefined,
  ) {
    this.unsubscribe = todos.subscribe(
      session,
      (snapshot) => {
        this.take(snapshot);
      },
      () => {
        this.refused = true;
        this.endRefused();
      },
    );
  }

  /** The session now; undefined while it does not exist. */
  async current(): Promise<SessionSnapshot | undefined> {
    const snapshot = await this.todos.snapshot(this.session);
    if (snapshot !== undefined) this.take(snapshot);
    return this.held;
  }

  /** Feeds the stream until it closes. */
  open(stream: EventStream): void {
    this.stream = stream;
    stream.onceClosed(() => {
      this.stop();
    });
    if (this.atLeast !== undefined) {
      this.resumeTimer = setTimeout(() => {
        this.atLeast = undefined;
        this.showHeld();
      }, RESUME_WAIT_MS).unref();
    }
    this.showHeld();
    this.endRefused();
  }

  private endRefused(): void {
    if (!this.refused || this.stream === undefined) return;
    this.stop();
    this.stream.end();
  }

  /** Ends the subscription. May be called again. */
  stop(): void {
    clearTimeout(this.resumeTimer);
    this.unsubscribe();
  }

  private take(snapshot: SessionSnapshot): void {
    if (!isNewer(snapshot, this.held ?? this.shown)) return;
    this.held = snapshot;
    this.showHeld();
  }

  private showHeld(): void {
    const { held, stream, atLeast } = this;
    if (held === undefined || stream === undefined) return;
    if (held.state === 'deleted') {
      this.stop();
      const json = JSON.stringify({ sessionId: this.session.sessionId });
      stream.end(encodeFrame('deleted', formatVersion(held), json));
      return;
    }
    if (atLeast !== undefined && compareVersions(held, atLeast) < 0) return;
    this.atLeast = undefined;
    clearTimeout(this.resumeTimer);
    this.held = undefined;
    this.shown = held;
    stream.send(() => frameOf(held));
  }
}

function frameOf(snapshot: Extract<SessionSnapshot, { state: 'present' }>): Buffer {
  const known = frames.get(snapshot);
  if (known !== undefined) return known;
  const frame = encodeFrame('todos', formatVersion(snapshot), snapshot.json);
  frames.set(snapshot, frame);
  return frame;
}
