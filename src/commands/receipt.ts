/** What an accepted command returns. */
import type { Position } from '../events/log/position.js';
import type { TodoCounts } from '../events/todo.js';

export interface Receipt {
  readonly sessionId: string;
  /** The turn the command was about; null where there is none. */
  readonly turnId: string | null;
  /** Of the command's last event in the session's stream. */
  readonly revision: bigint;
  /** Where that event lies in the log: wait for it with `after=`. */
  readonly position: Position;
  /** Of the list just written. */
  readonly counts?: TodoCounts;
  /** Advice, never a refusal. Absent where there is none. */
  readonly hints?: readonly string[];
}
