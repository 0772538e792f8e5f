/** Reads the stored bytes of released schema versions. */
import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import type { StoredEvent } from '../../../src/events/log/event-log.js';
import { positionOf } from '../../../src/events/log/position.js';

/** Seen from the compiled file. */
const FOLDER = new URL('../../../../test/fixtures/stored-events/', import.meta.url);

const fixture = z.strictObject({
  stream: z.string(),
  revision: z.string().regex(/^\d+$/),
  type: z.string(),
  /** The stored text, to the byte. */
  data: z.string(),
  metadata: z.string(),
});

/** An event as the store holds it. */
export type StoredFixture = z.infer<typeof fixture>;

/** The versions that have fixtures, in order. */
export function fixtureVersions(): number[] {
  const folders = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  return folders.map(({ name }) => Number(name.replace(/^v/, ''))).sort((a, b) => a - b);
}

/** A version's events by the names of their files, in the order of these. */
export function readFixtures(version: number): Map<string, StoredFixture> {
  const folder = new URL(`v${version}/`, FOLDER);
  const files = readdirSync(folder).sort();
  return new Map(
    files.map((file) => [
      file.replace(/\.json$/, ''),
      fixture.parse(JSON.parse(readFileSync(new URL(file, folder), 'utf8'))),
    ]),
  );
}

/** The event as a log hands it out. */
export function asStoredEvent({
  stream,
  revision,
  type,
  data,
  metadata,
}: StoredFixture): StoredEvent {
  return {
    stream,
    revision: BigInt(revision),
    position: positionOf(BigInt(revision) + 1n),
    id: '00000000-0000-4000-8000-000000000000',
    type,
    data: JSON.parse(data),
    metadata: JSON.parse(metadata),
    created: new Date(Date.UTC(2026, 10, 30, 9, 0, Number(revision))),
    bytes: data.length + metadata.length + type.length,
  };
}
