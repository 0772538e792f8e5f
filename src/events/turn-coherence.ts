/**
 * Where an event of a turn may lie. One rule for all who fold a stream, so that the write side
 * and the read side agree on what is readable, also where another program wrote the stream.
 */
import type { SessionEvent } from './session-events.js';

/** The latest turn, as a fold has come to know it. */
export interface KnownTurn {
  readonly id: string;
  readonly open: boolean;
}

/**
 * Why the event cannot lie where it does: what came before it is gone or was never there, and
 * nothing is guessed. A list may name any turn: it is recorded as it came.
 *
 * @param turn null where no turn has started
 * @returns undefined where all is well
 */
export function incoherence(turn: KnownTurn | null, event: SessionEvent): string | undefined {
  switch (event.type) {
    case 'todo/write':
      return turn === null ? 'todo/write outside a turn' : undefined;
    case 'turn/end':
      if (turn === null) return 'turn/end outside a turn';
      return turn.open && turn.id === event.data.turnId
        ? undefined
        : 'turn/end of a turn that is not open';
    default:
      return undefined;
  }
}
