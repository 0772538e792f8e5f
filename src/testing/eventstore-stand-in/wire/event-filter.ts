/**
 * The filter of a read or subscription of `$all`.
 */
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { StoredRecord } from '../store/record.js';

type FilterOptions = streams.ReadReq.Options.FilterOptions;

/** The search window of a filter that names none. */
const DEFAULT_WINDOW = 32;

export interface EventFilter {
  matches(record: StoredRecord): boolean;
  /** A checkpoint is due when this many events were considered. */
  readonly checkpointEvery: number;
}

/** Bookkeeping of the server that no filter lets through. */
const HIDDEN = ['$epoch-information', '$persistentsubscription-$all::'];

/** @returns an error for the client where the filter cannot be */
export function eventFilter(options: FilterOptions): EventFilter | { readonly invalid: string } {
  const multiplier = options.getCheckpointintervalmultiplier();
  const window = options.hasMax() ? options.getMax() : DEFAULT_WINDOW;
  if (multiplier < 1) return { invalid: 'The checkpoint interval multiplier must be positive.' };
  if (window < 1) return { invalid: 'The search window must be positive.' };
  const byType = options.getEventType();
  const expression = byType ?? options.getStreamIdentifier();
  if (expression === undefined) return { invalid: 'The filter is empty.' };
  const test = textTest(expression);
  if (typeof test !== 'function') return test;
  return {
    checkpointEvery: multiplier * window,
    matches: (record) =>
      !HIDDEN.some((hidden) => record.stream.startsWith(hidden)) &&
      test(byType === undefined ? record.stream : record.type),
  };
}

function textTest(
  expression: streams.ReadReq.Options.FilterOptions.Expression,
): ((text: string) => boolean) | { readonly invalid: string } {
  const prefixes = expression.getPrefixList();
  if (prefixes.length > 0) return (text) => prefixes.some((prefix) => text.startsWith(prefix));
  try {
    // Unanchored, as on the server; .NET's own syntax beyond that of JavaScript is refused.
    const regex = new RegExp(expression.getRegex(), 'u');
    return (text) => regex.test(text);
  } catch {
    return { invalid: `Invalid regular expression: ${expression.getRegex()}` };
  }
}
