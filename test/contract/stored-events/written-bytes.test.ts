/** What the code stores today is, to the byte, what the fixtures of today's version hold. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeEvents } from '../../../src/events/log/encode-events.js';
import type {
  AppendResult,
  ExpectedRevision,
  NewEvent,
} from '../../../src/events/log/event-log.js';
import { openSqliteEventLog } from '../../../src/events/log/sqlite/open-sqlite-event-log.js';
import { SCHEMA_VERSION } from '../../../src/events/metadata.js';
import { MemoryEventLog } from '../../../src/testing/memory-event-log.js';
import { openEsdbEventLog } from '../../../src/events/log/esdb/open-esdb-event-log.js';
import { parseSessionEvent } from '../../../src/events/parse-session-event.js';
import { EventStoreStandIn } from '../../../src/testing/eventstore-stand-in/stand-in.js';
import { RELEASED } from './released-events.js';
import { writeReleasedSession } from './released-session.js';
import { readStoredBytes } from './stored-bytes.js';
import { readFixtures, type StoredFixture } from './stored-fixtures.js';

/** The log's own order within each stream; the streams as their names sort. */
const inOrder = (events: readonly StoredFixture[]): StoredFixture[] =>
  events.toSorted(
    (a, b) => a.stream.localeCompare(b.stream, 'en') || Number(a.revision) - Number(b.revision),
  );

const expected = inOrder([...readFixtures(SCHEMA_VERSION).values()]);

/** Keeps what every adapter is given to store: the port's own text of each event. */
class RecordingLog extends MemoryEventLog {
  readonly written: StoredFixture[] = [];

  override async append(
    stream: string,
    expectedRevision: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<AppendResult> {
    const result = await super.append(stream, expectedRevision, events);
    const first = result.revision + 1n - BigInt(events.length);
    encodeEvents(events).forEach(({ type, data, metadata }, index) => {
      const revision = (first + BigInt(index)).toString();
      this.written.push({ stream, revision, type, data, metadata });
    });
    return result;
  }
}

// A difference is a change of the stored form: raise SCHEMA_VERSION, add an upcaster and a new
// folder of fixtures (see their README). Never edit these.
it('commands make the same events', async () => {
  const log = new RecordingLog();
  await writeReleasedSession(log);
  expect(inOrder(log.written)).toStrictEqual(expected);
});

it('the embedded log keeps the same bytes', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'planlog-bytes-'));
  try {
    const log = await openSqliteEventLog({ directory });
    await writeReleasedSession(log);
    await log.close();
    expect(inOrder(readStoredBytes(directory))).toStrictEqual(expected);
  } finally {
    await rm(directory, { recursive: true });
  }
});

describe('EventStoreDB', () => {
  let server: EventStoreStandIn;
  beforeEach(async () => {
    server = await EventStoreStandIn.start();
  });
  afterEach(() => server.close());

  it('keeps the same bytes', async () => {
    const log = await openEsdbEventLog({ connectionString: server.connectionString });
    await writeReleasedSession(log);
    await log.close();
    const written = server.store.all.filter(({ stream }) => stream.startsWith('agentSession-'));
    const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    const stored = written.map(({ stream, revision, type, data, metadata }) => ({
      stream,
      revision: revision.toString(),
      type,
      data: strict.decode(data),
      metadata: strict.decode(metadata),
    }));
    expect(inOrder(stored)).toStrictEqual(expected);
    // A JSON reader, and the server's own, go by this.
    expect(new Set(written.map(({ contentType }) => contentType))).toEqual(
      new Set(['application/json']),
    );
  });

  it.each([...RELEASED])('still means what version %i meant', async (version, released) => {
    const fixtures = [...readFixtures(version)].map(([name, fixture]) => ({ name, ...fixture }));
    for (const { stream, type, data, metadata } of inOrder(fixtures)) {
      const event = { id: randomUUID(), type, contentType: 'application/json' };
      const bytes = { data: Buffer.from(data), metadata: Buffer.from(metadata) };
      server.store.append(stream, 'any', [{ ...event, ...bytes }]);
    }
    const log = await openEsdbEventLog({ connectionString: server.connectionString });
    const read: Record<string, unknown> = {};
    for (const { name, stream, revision } of fixtures) {
      const options = { direction: 'forwards', from: BigInt(revision), limit: 1 } as const;
      for await (const event of log.read(stream, options)) {
        const parsed = parseSessionEvent(event);
        read[name] = parsed.kind === 'event' ? parsed.event : parsed;
      }
    }
    expect(read).toStrictEqual(released);
    await log.close();
  });
});
