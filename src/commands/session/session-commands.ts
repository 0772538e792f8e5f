/**
 * The five commands of a session, as a caller of the CommandBus sends them. Each resolves
 * with a Receipt and throws CommandRefusedError or CommandFailedError.
 */
import { Command } from '@nestjs/cqrs';
import type { Actor } from '../../events/metadata.js';
import type { SessionRef } from '../../events/session-stream.js';
import type { TurnOutcome } from '../../events/session-events.js';
import type { Receipt } from '../receipt.js';

/** The revision the session must be at: a list of revisions, or `*` for any that exists. */
export type IfMatch = '*' | readonly bigint[];

/** What comes with every command. */
export interface CommandEnvelope {
  /** Who sends it. */
  readonly actor: Actor;
  /** 1 to 255 visible ASCII characters. The same id with the same content is done once. */
  readonly commandId: string;
  readonly ifMatch?: IfMatch | undefined;
  /** W3C trace context, stored with the events. */
  readonly traceparent?: string | undefined;
}

/** Opens a turn; the standing plan clears. Creates the session on first use. */
export class StartTurn extends Command<Receipt> {
  /**
   * @param turnId derived from the command id where it is absent
   * @param supersede the open turn to close, or `true` for whichever is open
   */
  constructor(
    readonly session: SessionRef,
    readonly input: {
      readonly turnId?: string | undefined;
      readonly supersede?: string | true | undefined;
    },
    readonly envelope: CommandEnvelope,
  ) {
    super();
  }
}

/** Replaces the whole list. `todos` is raw input: the handler parses it. */
export class WriteTodos extends Command<Receipt> {
  constructor(
    readonly session: SessionRef,
    readonly input: { readonly turnId: string; readonly todos: unknown },
    readonly envelope: CommandEnvelope & {
      /**
       * How a repeated command id counts. `key` (the default): other content is a conflict.
       * `call`: models reuse call ids, so only the turn's latest write with equal content is
       * a repeat, and anything else is a new write.
       */
      readonly repeats?: 'key' | 'call';
    },
  ) {
    super();
  }
}

/** Closes the turn; the list stays visible. */
export class EndTurn extends Command<Receipt> {
  constructor(
    readonly session: SessionRef,
    readonly input: {
      readonly turnId: string;
      readonly outcome: Exclude<TurnOutcome, 'superseded'>;
    },
    readonly envelope: CommandEnvelope,
  ) {
    super();
  }
}

/** Starts a new, empty session that names the one it came from. The receipt is the child's. */
export class ForkSession extends Command<Receipt> {
  /** @param session the source; `input.sessionId` is the new id, in the same tenant */
  constructor(
    readonly session: SessionRef,
    readonly input: { readonly sessionId: string },
    readonly envelope: CommandEnvelope,
  ) {
    super();
  }
}

/** Deletes the session. A reaction truncates what came before. */
export class DeleteSession extends Command<Receipt> {
  constructor(
    readonly session: SessionRef,
    readonly envelope: CommandEnvelope,
  ) {
    super();
  }
}
