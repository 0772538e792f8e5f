/** A stream as it was folded: the domain's state, its revision and the command ids it holds. */
import type { EventLog, StoredEvent } from '../../events/log/event-log.js';
import type { KnownCommand, Placement, StreamFold } from './decider.js';

/** Estimated memory of one entry of the command index, in bytes. */
const ENTRY_BYTES = 200;

/** Grows by the events that follow it, one command at a time. */
export class LoadedStream<State, Event> {
  /** Of the stream's last event, whoever wrote it; null for a stream that does not exist. */
  revision: bigint | null = null;
  /** At which revision each command id was used last. What it did is read again when the id comes
   * again. There may be very many: plain numbers spare the garbage collector. */
  readonly #commands = new Map<string, number>();

  constructor(
    readonly fold: StreamFold<State, Event>,
    public state: State,
  ) {}

  /** Estimated memory in bytes. */
  get size(): number {
    return 1_000 + this.#commands.size * ENTRY_BYTES;
  }

  /**
   * What the loaded part knows of a command id; undefined where it holds none, or where the
   * event has been truncated since.
   *
   * @throws {UnavailableError} the log cannot be read
   */
  async known(
    log: Pick<EventLog, 'read'>,
    stream: string,
    commandId: string,
  ): Promise<KnownCommand | undefined> {
    const at = this.#commands.get(commandId);
    if (at === undefined) return undefined;
    const revision = BigInt(at);
    const options = { direction: 'forwards', from: revision, limit: 1 } as const;
    for await (const stored of log.read(stream, options)) {
      if (stored.revision !== revision) return undefined;
      const event = this.fold.parse(stored);
      if (event === undefined) return undefined;
      return { fingerprint: this.fold.fingerprint(event), revision, position: stored.position };
    }
    return undefined;
  }

  /** Is the command id in the loaded part? */
  holds(commandId: string): boolean {
    return this.#commands.has(commandId);
  }

  /** Folds an event that was read. */
  add(stored: StoredEvent): void {
    this.revision = stored.revision;
    const event = this.fold.parse(stored);
    if (event !== undefined) this.evolve(event, this.fold.commandIdOf(stored), stored);
  }

  /** Folds events that this process has just appended. */
  addAppended(events: readonly Event[], commandId: string, last: Placement): void {
    let revision = last.revision - BigInt(events.length);
    for (const event of events) {
      revision += 1n;
      this.#fold(event, commandId, { revision, position: last.position });
    }
    this.revision = last.revision;
    // Later than any use before.
    this.#commands.set(commandId, Number(last.revision));
  }

  /** Folds an event of the domain. */
  evolve(event: Event, commandId: string | undefined, at: Placement): void {
    this.#fold(event, commandId, at);
    this.mention(commandId, at.revision);
  }

  #fold(event: Event, commandId: string | undefined, { revision, position }: Placement): void {
    this.state = this.fold.evolve(this.state, { event, commandId, revision, position });
  }

  /** Remembers where a command id was used, where that is the latest use known. */
  mention(commandId: string | undefined, revision: bigint): void {
    if (commandId === undefined) return;
    const at = Number(revision);
    const known = this.#commands.get(commandId);
    if (known === undefined || known <= at) this.#commands.set(commandId, at);
  }
}
