/**
 * The control channel of a stand-in that runs as a process of its own: a line of JSON for each
 * thing to do, and one for each answer.
 *
 *   {"set":{"silentAppends":"stored"}}   sets switches (faults.ts)
 *   {"clear":true}                       sets them all back
 *   {"do":"freeze"}                      freeze, thaw, stop, come-back, restart,
 *                                        reset-connections, end-batch-streams, end-subscriptions
 *   {"ask":"observations"}               counts, and what is open now
 */
import { z } from 'zod';
import type { EventStoreStandIn } from './stand-in.js';
import type { FaultSwitches } from './faults.js';
import { CALL_FAILURES } from './wire/statuses.js';

const off = z.literal(false);
const callFailure = z.enum(CALL_FAILURES);
const callKind = z.enum(['append', 'read', 'subscribe', 'delete', 'features', 'gossip']);
const count = z.int().nonnegative();

const switches = z.strictObject({
  silentAppends: z.enum(['stored', 'dropped']).or(off).exactOptional(),
  failAppends: z
    .strictObject({
      how: z.enum([
        ...CALL_FAILURES,
        'reset',
        'end-ok',
        'silence',
        'timeout-reply',
        'unknown-reply',
      ]),
      when: z.enum(['before-commit', 'after-commit']),
      times: count.exactOptional(),
      after: count.exactOptional(),
      streamPrefix: z.string().exactOptional(),
    })
    .or(off)
    .exactOptional(),
  notReady: z.enum(['all', 'appends']).or(off).exactOptional(),
  notLeader: z.strictObject({ host: z.string(), port: count }).or(off).exactOptional(),
  failCalls: z
    .strictObject({ how: callFailure, calls: z.array(callKind) })
    .or(off)
    .exactOptional(),
  muteSubscriptions: z.boolean().exactOptional(),
  deliveries: count.exactOptional(),
  slow: z
    .strictObject({ appendMs: count.exactOptional(), readMs: count.exactOptional() })
    .or(off)
    .exactOptional(),
  clockAheadMs: z.int().exactOptional(),
  deny: z.enum(['all-stream', 'everything']).or(off).exactOptional(),
  forgetful: z.boolean().exactOptional(),
  absentEvents: z.string().or(off).exactOptional(),
  checkpoints: z.enum(['right', 'prepare-zero', 'greatest', 'repeated', 'none']).exactOptional(),
}) satisfies z.ZodType<Partial<FaultSwitches>>;

const death = z.enum(['kill', 'shutdown', 'cluster-shutdown']).exactOptional();

const order = z.union([
  z.strictObject({ set: switches }),
  z.strictObject({ clear: z.literal(true) }),
  z.strictObject({ ask: z.literal('observations') }),
  z.discriminatedUnion('do', [
    z.strictObject({ do: z.literal('freeze') }),
    z.strictObject({ do: z.literal('thaw'), dropped: z.boolean().exactOptional() }),
    z.strictObject({ do: z.literal('stop'), death }),
    z.strictObject({ do: z.literal('come-back') }),
    z.strictObject({ do: z.literal('restart'), death }),
    z.strictObject({ do: z.literal('reset-connections') }),
    z.strictObject({ do: z.literal('end-batch-streams'), failure: callFailure.exactOptional() }),
    z.strictObject({ do: z.literal('end-subscriptions'), failure: callFailure.exactOptional() }),
  ]),
]);

export type ControlOrder = z.infer<typeof order>;
type Deed = Extract<ControlOrder, { do: string }>;

/** Does what a line says. @returns the line to answer with */
export async function control(standIn: EventStoreStandIn, line: string): Promise<string> {
  try {
    const parsed = order.safeParse(JSON.parse(line));
    if (!parsed.success) return JSON.stringify({ error: z.prettifyError(parsed.error) });
    return JSON.stringify({ ok: true, ...(await obey(standIn, parsed.data)) });
  } catch (error) {
    return JSON.stringify({ error: String(error) });
  }
}

async function obey(standIn: EventStoreStandIn, said: ControlOrder): Promise<object> {
  if ('set' in said) standIn.faults.set(said.set);
  else if ('clear' in said) standIn.faults.clear();
  else if ('ask' in said) return observations(standIn);
  else await act(standIn, said);
  return {};
}

async function act(standIn: EventStoreStandIn, deed: Deed): Promise<void> {
  switch (deed.do) {
    case 'freeze':
      standIn.freeze();
      return;
    case 'thaw':
      standIn.thaw(deed);
      return;
    case 'stop':
      await standIn.stop(deed.death);
      return;
    case 'come-back':
      await standIn.comeBack();
      return;
    case 'restart':
      await standIn.restart(deed.death);
      return;
    case 'reset-connections':
      standIn.resetConnections();
      return;
    case 'end-batch-streams':
      standIn.endBatchStreams(deed.failure);
      return;
    case 'end-subscriptions':
      standIn.endSubscriptions(deed.failure);
  }
}

function observations({ observed }: EventStoreStandIn): object {
  return {
    appends: observed.appends,
    connections: observed.connections,
    openCalls: observed.open(),
    liveSubscriptions: observed.liveSubscriptions.map(
      ({ connectionName, source, confirmed, caughtUp, sent }) => ({
        connectionName,
        source,
        confirmed,
        caughtUp,
        sent,
      }),
    ),
  };
}
