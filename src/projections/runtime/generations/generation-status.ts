/** A generation as operators see it. */
import { formatPosition, type Position } from '../../../events/log/position.js';
import type { GenerationRecord, GenerationState } from '../../read-model/projection-catalog.js';
import type { RowsProgress } from '../../read-model/read-model.js';

export interface GenerationStatus {
  readonly generation: number;
  readonly version: number;
  readonly state: GenerationState;
  /** Everything up to here is folded; null before the first commit, and where the rows are gone. */
  readonly checkpoint: string | null;
  /** How many events were folded into its rows. */
  readonly events: number;
  /** How much of the log is folded, 0 to 100; null while the log does not say where it ends. */
  readonly percent: number | null;
  /** Why it has failed; null where it has not. */
  readonly problem: string | null;
}

/**
 * @param progress undefined where there are no rows
 * @param head where the log ends; undefined where that is not known
 */
export function generationStatus(
  { generation, version, state, problem }: GenerationRecord,
  progress: RowsProgress | undefined,
  head: Position | undefined,
): GenerationStatus {
  const position = progress?.checkpoint?.position;
  return {
    generation,
    version,
    state,
    checkpoint: position ? formatPosition(position) : null,
    events: progress?.events ?? 0,
    percent: head === undefined ? null : percentOf(position, head),
    problem,
  };
}

/** To one decimal, and not 100 before all is folded. */
export function percentOf(position: Position | undefined, head: Position): number {
  if (head.commit === 0n || (position && position.commit >= head.commit)) return 100;
  // Positions have 64 bits: the division comes before the loss of precision.
  return Number(((position?.commit ?? 0n) * 1_000n) / head.commit) / 10;
}
