/** A stream as it was folded: the domain's state, its revision and the command ids it holds. */
import type { StoredEvent } from '../../events/log/event-log.js';
import type { KnownCommand, KnownCommands, Placement, StreamFold } from './decider.js';

/** Estimated memory of one entry of the command index, in bytes. */
const ENTRY_BYTES = 200;

/**
 * Grows by the events that follow it. It is owned by one holder at a time: the load that
 * makes it, then the cache, then the command that takes it from there.
 */
export class LoadedStream<State, Event> {
  /** Of the stream's last event, whoever wrote it; null for a stream that does not exist. */
  revision: bigint | null = null;
  readonly #commands = new Map<string, KnownCommand>();

  constructor(
    readonly fold: StreamFold<State, Event>,
    public state: State,
  ) {}

  /** Estimated memory in bytes. */
  get size(): number {
    return 1_000 + this.#commands.size * ENTRY_BYTES;
  }

  readonly known: KnownCommands = (commandId) => this.#commands.get(commandId);

  /** Folds an event that was read. */
  add(stored: StoredEvent): void {
    this.revision = stored.revision;
    const event = this.fold.parse(stored);
    if (event !== undefined) this.#evolve(event, this.fold.commandIdOf(stored), stored);
  }

  /** Folds events that this process has just appended. */
  addAppended(events: readonly Event[], commandId: string, last: Placement): void {
    let revision = last.revision - BigInt(events.length);
    for (const event of events) {
      revision += 1n;
      this.#evolve(event, commandId, { revision, position: last.position });
    }
    this.revision = last.revision;
  }

  #evolve(event: Event, commandId: string | undefined, at: Placement): void {
    const { revision, position } = at;
    this.state = this.fold.evolve(this.state, { event, commandId, revision, position });
    if (commandId === undefined) return;
    this.#commands.set(commandId, {
      fingerprint: this.fold.fingerprint(event),
      revision,
      position,
    });
  }
}
