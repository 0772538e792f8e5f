/** A projection's catalogue in one small SQLite file. Calls are synchronous inside; the port's
 * promises settle at once. Other processes may write it at the same time. */
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { z } from 'zod';
import {
  GENERATION_STATES,
  GenerationStateError,
  type Discard,
  type GenerationRecord,
  type GenerationState,
  type ProjectionCatalog,
  type ServingBases,
} from '../projection-catalog.js';
import { asCatalogError, damagedCatalog } from './catalog-format.js';
import { closeFile } from './sqlite-file.js';

const COLUMNS =
  'generation, version, state, started_at AS startedAt, problem, ' +
  'epoch_base AS epochBase, change_base AS changeBase';

const generationLine = z.object({
  generation: z.int().positive(),
  version: z.int().positive(),
  state: z.enum(GENERATION_STATES),
  startedAt: z.string(),
  problem: z.string().nullable(),
  epochBase: z.int().nonnegative(),
  changeBase: z.int().nonnegative(),
});
const discardLine = z.object({
  key: z.string(),
  stream: z.string(),
  revision: z
    .string()
    .regex(/^[0-9]{1,20}$/)
    .transform(BigInt),
  eventId: z.string(),
  at: z.string(),
});
const pausedLine = z.object({ paused: z.int() });
const numberLine = z.object({ number: z.int().positive() });

/** What may be promoted. A generation that is being built is, when a start builds it itself. */
const PROMOTABLE: readonly GenerationState[] = ['building', 'ready', 'kept', 'serving'];

export class SqliteProjectionCatalog implements ProjectionCatalog {
  readonly #db: DatabaseSyncInstance;
  readonly #path: string;

  /** @param db an open catalogue, closed by {@link close} */
  constructor(db: DatabaseSyncInstance, path: string) {
    this.#db = db;
    this.#path = path;
  }

  generations(): Promise<readonly GenerationRecord[]> {
    return this.#call(() =>
      this.#db
        .prepare(`SELECT ${COLUMNS} FROM generations ORDER BY generation`)
        .all()
        .map((line: unknown) => this.#parse(generationLine, line)),
    );
  }

  generation(generation: number): Promise<GenerationRecord | undefined> {
    return this.#call(() => this.#find(generation));
  }

  begin(version: number, at: Date): Promise<GenerationRecord> {
    return this.#change(() => {
      const line: unknown = this.#db
        .prepare(
          'UPDATE projection SET last_generation = last_generation + 1 ' +
            'RETURNING last_generation AS number',
        )
        .get();
      const { number } = this.#parse(numberLine, line);
      this.#db
        .prepare("INSERT INTO generations VALUES (?, ?, 'building', ?, NULL, 0, 0)")
        .run(number, version, at.toISOString());
      return this.#get(number);
    });
  }

  move(
    generation: number,
    from: readonly GenerationState[],
    to: Exclude<GenerationState, 'serving'>,
    problem?: string,
  ): Promise<GenerationRecord | undefined> {
    return this.#change(() => {
      const found = this.#find(generation);
      if (found === undefined || !from.includes(found.state)) return found;
      this.#db
        .prepare('UPDATE generations SET state = ?, problem = ? WHERE generation = ?')
        .run(to, problem ?? null, generation);
      return this.#get(generation);
    });
  }

  promote(generation: number, bases: ServingBases): Promise<GenerationRecord> {
    return this.#change(() => {
      const found = this.#find(generation);
      if (found === undefined || !PROMOTABLE.includes(found.state)) {
        throw new GenerationStateError(
          generation,
          found?.state,
          `generation ${generation} is ${found?.state ?? 'not there'} and cannot be served`,
        );
      }
      this.#db
        .prepare(
          "UPDATE generations SET state = 'kept' WHERE version = ? AND state = 'serving' " +
            'AND generation <> ?',
        )
        .run(found.version, generation);
      this.#db
        .prepare(
          "UPDATE generations SET state = 'serving', problem = NULL, epoch_base = ?, " +
            'change_base = ? WHERE generation = ?',
        )
        .run(bases.epochBase, bases.changeBase, generation);
      return this.#get(generation);
    });
  }

  forget(generation: number): Promise<void> {
    return this.#change(() => {
      this.#db.prepare('DELETE FROM generations WHERE generation = ?').run(generation);
    });
  }

  paused(): Promise<boolean> {
    return this.#call(() => {
      const line: unknown = this.#db.prepare('SELECT paused FROM projection').get();
      return this.#parse(pausedLine, line).paused === 1;
    });
  }

  setPaused(paused: boolean): Promise<void> {
    return this.#change(() => {
      this.#db.prepare('UPDATE projection SET paused = ?').run(paused ? 1 : 0);
    });
  }

  discards(): Promise<readonly Discard[]> {
    return this.#call(() =>
      this.#db
        .prepare(
          'SELECT key, stream, revision, event_id AS eventId, at FROM discards ORDER BY number',
        )
        .all()
        .map((line: unknown) => this.#parse(discardLine, line)),
    );
  }

  discard({ key, stream, revision, eventId, at }: Discard): Promise<void> {
    return this.#change(() => {
      this.#db
        .prepare(
          'INSERT OR IGNORE INTO discards (key, stream, revision, event_id, at) ' +
            'VALUES (?, ?, ?, ?, ?)',
        )
        .run(key, stream, revision.toString(), eventId, at);
    });
  }

  close(): Promise<void> {
    return this.#call(() => {
      closeFile(this.#db, this.#path);
    });
  }

  #find(generation: number): GenerationRecord | undefined {
    const line: unknown = this.#db
      .prepare(`SELECT ${COLUMNS} FROM generations WHERE generation = ?`)
      .get(generation);
    return line === undefined ? undefined : this.#parse(generationLine, line);
  }

  #get(generation: number): GenerationRecord {
    const found = this.#find(generation);
    if (found === undefined) throw damagedCatalog(this.#path);
    return found;
  }

  /** One transaction: all of it or nothing, and nobody else's change in between. */
  #change<T>(call: () => T): Promise<T> {
    return this.#call(() => {
      this.#db.exec('BEGIN IMMEDIATE');
      try {
        const result = call();
        this.#db.exec('COMMIT');
        return result;
      } catch (error) {
        if (this.#db.isOpen && this.#db.isTransaction) this.#db.exec('ROLLBACK');
        throw error;
      }
    });
  }

  /** A promise of what `call` returns; what it throws rejects. */
  #call<T>(call: () => T): Promise<T> {
    return new Promise((resolve) => {
      try {
        resolve(call());
      } catch (error) {
        throw asCatalogError(error, this.#path);
      }
    });
  }

  #parse<T>(schema: z.ZodType<T>, line: unknown): T {
    const parsed = schema.safeParse(line);
    if (!parsed.success) throw damagedCatalog(this.#path, parsed.error);
    return parsed.data;
  }
}
