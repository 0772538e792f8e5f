/** A read model in memory, moved by hand: what SessionTodos reads in these tests. */
import type { Position } from '../../../src/events/log/position.js';
import type { Parked, RowEntry } from '../../../src/projections/read-model/read-model.js';
import type { ProjectionReader } from '../../../src/projections/runtime/projection-reader.js';
import { Refusal } from '../../../src/projections/runtime/refusal.js';
import {
  INITIAL_ROW,
  type SessionTodosRow,
  type StandingSession,
} from '../../../src/projections/session-todos/session-todos.row.js';

type Listener = (entry: RowEntry<SessionTodosRow>) => void;

export class FakeRows implements ProjectionReader<SessionTodosRow> {
  readonly entries = new Map<string, RowEntry<SessionTodosRow>>();
  readonly listeners = new Map<string, Set<Listener>>();
  /** What `reached` was asked. */
  readonly waits: { position: Position; timeoutMs: number; signal: AbortSignal | undefined }[] = [];
  /** How the next waits end. */
  reach: (signal: AbortSignal | undefined) => Promise<boolean> = () => Promise.resolve(true);
  /** Held back until it resolves, so that changes can overtake a read. */
  reading: Promise<void> = Promise.resolve();
  /** Set, it is what a real projection does that is not of its log. */
  refusal = new Refusal('session-todos');
  /** How far it has come. */
  position: Position | undefined;
  private change = 0;

  async get(key: string): Promise<RowEntry<SessionTodosRow> | undefined> {
    this.refusal.assertNone();
    const entry = this.entries.get(key);
    await this.reading;
    return entry;
  }

  reached(position: Position, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    this.waits.push({ position, timeoutMs, signal });
    return this.reach(signal);
  }

  subscribe(key: string, listener: Listener, refused?: () => void): () => void {
    const listeners = this.listeners.get(key) ?? new Set();
    this.listeners.set(key, listeners.add(listener));
    const forget = refused && this.refusal.onSet(refused);
    return () => {
      listeners.delete(listener);
      forget?.();
    };
  }

  /** How many listeners there are. */
  get listening(): number {
    return [...this.listeners.values()].reduce((sum, each) => sum + each.size, 0);
  }

  /** Commits a list as the session's newest state. */
  write(
    sessionId: string,
    revision: bigint,
    contents: readonly string[],
    also: { epoch?: number; parked?: Parked; row?: Partial<StandingSession> } = {},
  ): void {
    const row: StandingSession = {
      ...INITIAL_ROW,
      state: 'current',
      todos: contents.map((content) => ({ content, status: 'pending' })),
      turn: { id: 't1', state: 'open', outcome: null },
      revision: revision.toString(),
      ...also.row,
    };
    this.commit(sessionId, row, also.epoch ?? 0, also.parked);
  }

  delete(sessionId: string, revision: bigint): void {
    const updatedAt = new Date(0).toISOString();
    this.commit(sessionId, { kind: 'deleted', revision: revision.toString(), updatedAt }, 0);
  }

  private commit(sessionId: string, row: SessionTodosRow, epoch: number, parked?: Parked): void {
    const key = `default.${sessionId}`;
    this.change += 1;
    const entry = { key, row, epoch, parked, change: this.change };
    this.entries.set(key, entry);
    for (const listener of this.listeners.get(key) ?? []) listener(entry);
  }
}
