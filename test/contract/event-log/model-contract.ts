/** The log against a model of arrays: whatever is done in whatever order, both say the same. */
import fc from 'fast-check';
import type { EventLog, ExpectedRevision, NewEvent } from '../../../src/events/log/event-log.js';
import { comparePositions, LOG_START, type Position } from '../../../src/events/log/position.js';
import { EXCLUSIVE, expectReached, type LogTraits } from './log-traits.js';
import { all, eventsOf, sample, untilCaughtUp } from './sample-events.js';

const STREAMS = ['a-1', 'a-2', 'a-1x', 'b-1'];

type Step =
  | { do: 'append'; stream: string; count: number; off: number }
  | { do: 'repeat'; nth: number; swap: boolean }
  | { do: 'truncate'; stream: string; before: number }
  | { do: 'read'; stream: string; from: number | null; limit: number; backwards: boolean }
  | { do: 'pull'; prefix: string; maxEvents: number; after: number };

const stream = fc.constantFrom(...STREAMS);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      stream,
      count: fc.integer({ min: 1, max: 4 }),
      off: fc.constantFrom(0, 0, 0, 0, -1, 1, -3),
    }),
  },
  fc.record({ do: fc.constant('repeat' as const), nth: fc.nat(20), swap: fc.boolean() }),
  fc.record({ do: fc.constant('truncate' as const), stream, before: fc.nat(12) }),
  fc.record({
    do: fc.constant('read' as const),
    stream,
    from: fc.option(fc.integer({ min: -1, max: 15 })),
    limit: fc.nat(12),
    backwards: fc.boolean(),
  }),
  fc.record({
    do: fc.constant('pull' as const),
    prefix: fc.constantFrom('', 'a-', 'a-1', 'b', 'zz'),
    maxEvents: fc.integer({ min: 1, max: 8 }),
    after: fc.nat(30),
  }),
);

interface ModelEvent {
  id: string;
  stream: string;
  revision: bigint;
}

/** What the log should hold. */
class Model {
  /** @param remembersTruncated whether a repeat is known also by events that were truncated */
  constructor(private readonly remembersTruncated: boolean) {}

  events: ModelEvent[] = [];
  /** With those that were truncated. */
  readonly everything: ModelEvent[] = [];
  readonly appends: { stream: string; expected: ExpectedRevision; events: NewEvent[] }[] = [];
  /** Position of each event ever stored, by id. */
  readonly positions = new Map<string, Position>();

  of(stream: string): ModelEvent[] {
    return this.events.filter((event) => event.stream === stream);
  }

  last(stream: string): bigint | null {
    return this.of(stream).at(-1)?.revision ?? null;
  }

  /** The revision an append comes to, or the actual one it conflicts with. */
  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): { revision: bigint } | { actual: bigint | null } {
    const actual = this.last(stream);
    const before = expected === 'no_stream' ? -1n : expected;
    const revision = before + BigInt(events.length);
    if (actual === (expected === 'no_stream' ? null : expected)) {
      for (const [index, { id }] of events.entries()) {
        const event = { id, stream, revision: before + 1n + BigInt(index) };
        this.events.push(event);
        this.everything.push(event);
      }
      return { revision };
    }
    const known = this.remembersTruncated ? this.everything : this.events;
    const there = known.filter(
      (e) => e.stream === stream && e.revision > before && e.revision <= revision,
    );
    const same =
      there.length === events.length && events.every(({ id }, at) => there[at]?.id === id);
    return same && before >= -1n ? { revision } : { actual };
  }

  truncate(stream: string, before: bigint): void {
    const last = this.last(stream);
    this.events = this.events.filter(
      (e) => e.stream !== stream || e.revision >= before || e.revision === last,
    );
  }
}

async function append(
  log: EventLog,
  model: Model,
  stream: string,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
): Promise<void> {
  const should = model.append(stream, expected, events);
  const found = await log.append(stream, expected, events).catch((error: unknown) => error);
  if ('revision' in should) {
    expect(found).toMatchObject({ revision: should.revision });
  } else {
    expect(found).toMatchObject({ code: 'conflict', actualRevision: should.actual });
  }
}

async function take(log: EventLog, model: Model, step: Step, traits: LogTraits): Promise<void> {
  if (step.do === 'append') {
    const last = model.last(step.stream);
    const at = (last ?? -1n) + BigInt(step.off);
    const expected = at < 0n ? 'no_stream' : at;
    const events = Array.from({ length: step.count }, () => sample({ n: model.events.length }));
    model.appends.push({ stream: step.stream, expected, events });
    await append(log, model, step.stream, expected, events);
  } else if (step.do === 'repeat') {
    const earlier = model.appends.at(-1 - (step.nth % Math.max(1, model.appends.length)));
    if (earlier === undefined) return;
    const { stream, expected } = earlier;
    const events = step.swap ? [...earlier.events.slice(1), sample()] : earlier.events;
    await append(log, model, stream, expected, events);
  } else if (step.do === 'truncate') {
    model.truncate(step.stream, BigInt(step.before));
    await log.truncate(step.stream, BigInt(step.before));
  } else if (step.do === 'read') {
    const from = step.from === null ? undefined : BigInt(step.from);
    const ordered = step.backwards ? model.of(step.stream).toReversed() : model.of(step.stream);
    const expected = ordered
      .filter(
        (e) => from === undefined || (step.backwards ? e.revision <= from : e.revision >= from),
      )
      .slice(0, step.limit);
    const found = await all(
      log.read(step.stream, {
        direction: step.backwards ? 'backwards' : 'forwards',
        limit: step.limit,
        ...(from === undefined ? {} : { from }),
      }),
    );
    expect(found.map(({ id, stream, revision }) => ({ id, stream, revision }))).toEqual(expected);
  } else {
    await pullAndCompare(log, model, step, traits);
  }
}

async function pullAndCompare(
  log: EventLog,
  model: Model,
  { prefix, maxEvents, after }: { prefix: string; maxEvents: number; after: number },
  traits: LogTraits,
): Promise<void> {
  const pulled = traits.pullsTruncated ? model.everything : model.events;
  // Learn where each event lies, then resume anywhere among them.
  const whole = log.pull({ prefix: '', after: LOG_START });
  const everything = eventsOf(await untilCaughtUp(whole));
  await whole.close();
  expect(everything.map(({ id, stream, revision }) => ({ id, stream, revision }))).toEqual(pulled);
  const index = after % (everything.length + 1);
  const from = everything[index - 1]?.position ?? LOG_START;
  const head = await log.head();
  const puller = log.pull({ prefix, after: from, maxEvents });
  const batches = await untilCaughtUp(puller);
  await puller.close();
  const expected = pulled.slice(index).filter((e) => e.stream.startsWith(prefix));
  expect(eventsOf(batches).map((e) => e.id)).toEqual(expected.map((e) => e.id));
  expectReached(traits, batches.at(-1)?.checkpoint, head);
  for (const batch of batches) expect(batch.events.length).toBeLessThanOrEqual(maxEvents);
  for (const [at, { position }] of everything.slice(1).entries()) {
    expect(comparePositions(position, everything[at]?.position ?? LOG_START)).toBeGreaterThan(0);
  }
}

/** @param open a new, empty log each time */
export function describeModel(open: () => Promise<EventLog>, traits: LogTraits = EXCLUSIVE): void {
  it('equals a model of arrays, whatever is done', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const log = await open();
        const model = new Model(traits.pullsTruncated);
        try {
          for (const next of steps) await take(log, model, next, traits);
          await pullAndCompare(log, model, { prefix: 'a-', maxEvents: 3, after: 0 }, traits);
        } finally {
          await log.close();
        }
      }),
      { numRuns: 40 },
    );
  }, 60_000);
}
