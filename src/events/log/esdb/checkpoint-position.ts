/**
 * What a checkpoint that a server sends says about the log.
 *
 * The one before "caught up" has the end of the log as its commit: the place that the next
 * event will get, beyond the head. Both numbers count (faults.md C 1), and all that was seen
 * lies at or before the lower one. So that one is taken: resuming there repeats nothing that
 * matches the filter and loses nothing, and it is never beyond the log's head.
 *
 * Older servers send a prepare of 0, or the highest number there is (eventstoredb.md 3, rows
 * 30 and 31): those say nothing.
 */
import { positionOf, type Position } from '../position.js';

/** int64 and uint64 both occur. */
const HIGHEST = 2n ** 63n - 1n;

/** @returns undefined where it says nothing */
export function checkpointPosition({ commit, prepare }: Position): Position | undefined {
  const seen = commit < prepare ? commit : prepare;
  return seen <= 0n || seen >= HIGHEST ? undefined : positionOf(seen);
}
