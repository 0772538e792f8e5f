/**
 * One append from request to verdict, with the faults that can come between. How a verdict is
 * told differs between batch and classic appends.
 */
import type { AppendFailure } from '../faults.js';
import type { ServerContext } from '../server-context.js';
import type { ExpectedRevision } from '../store/append-decision.js';
import type { AppendOutcome } from '../store/event-store.js';
import { appendSize, type ProposedEvent } from '../store/record.js';

export interface AppendRequest {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly ProposedEvent[];
}

export type AppendVerdict =
  | AppendOutcome
  | { readonly kind: 'too-large' }
  | { readonly kind: 'failed'; readonly how: AppendFailure };

/** Calls `tell` at most once: a silent server never does. */
export function runAppend(
  context: ServerContext,
  request: AppendRequest,
  tell: (verdict: AppendVerdict) => void,
): void {
  const { faults, observed } = context;
  observed.appendCame('received');
  const failing = faults.pickAppend(request.stream);
  const { silentAppends, slow } = faults.switches;
  const run = () => {
    if (failing?.when === 'before-commit') {
      fail(context, failing.how, tell);
      return;
    }
    if (silentAppends === 'dropped') return;
    const outcome = store(context, request);
    if (silentAppends === 'stored') return;
    if (failing === undefined) tell(outcome);
    else fail(context, failing.how, tell);
  };
  const delay = slow === false ? 0 : (slow.appendMs ?? 0);
  if (delay > 0) context.later(delay, run);
  else run();
}

function store(context: ServerContext, { stream, expected, events }: AppendRequest): AppendVerdict {
  let size = 0;
  for (const event of events) size += appendSize(event);
  if (size > context.maxAppendSize) {
    context.observed.appendCame('refused');
    return { kind: 'too-large' };
  }
  const { forgetful } = context.faults.switches;
  const outcome = context.store.append(stream, expected, events, { forgetful });
  const fates = {
    appended: 'stored',
    idempotent: 'idempotent',
    'wrong-revision': 'refused',
    deleted: 'refused',
  } as const;
  context.observed.appendCame(fates[outcome.kind]);
  return outcome;
}

function fail(
  context: ServerContext,
  how: AppendFailure,
  tell: (verdict: AppendVerdict) => void,
): void {
  if (how === 'reset') context.resetConnections();
  else if (how !== 'silence') tell({ kind: 'failed', how });
}
