/**
 * Builds a generation: the runner of the live projections, into rows that nobody reads, in bulk,
 * and strict: an event that cannot be folded ends it. It may be killed at any moment; what was
 * written is gone on with.
 */
import {
  concatMap,
  defer,
  firstValueFrom,
  fromEvent,
  ignoreElements,
  merge,
  NEVER,
  of,
  repeat,
  Subject,
  type Observable,
} from 'rxjs';
import {
  comparePositions,
  laterPosition,
  LOG_START,
  type Position,
} from '../../../events/log/position.js';
import type { GenerationRecord, ProjectionCatalog } from '../../read-model/projection-catalog.js';
import type { ReadModel, ReadModels, RowSet } from '../../read-model/read-model.js';
import { systemClock, wait } from '../clock.js';
import type { FollowedLog, RunnerOptions } from '../consumer.js';
import type { Projection } from '../define-projection.js';
import { DiscardSet } from '../discard-set.js';
import { isFinal } from '../runner-failures.js';
import { messageOf } from '../runner-progress.js';
import { Runner } from '../runner.js';
import { BulkFold } from './bulk-fold.js';
import { PoisonEventError } from './poison-event.js';
import { RebuildEndedError, RebuildFailedError } from './rebuild-ended.js';

/** How far a job has come. */
export interface RebuildProgress {
  /** In the generation, those of an earlier run included. */
  readonly events: number;
  readonly position: Position;
  /** Where the log ended when the job last looked. */
  readonly head: Position;
}

export interface RebuildOptions<Row> {
  readonly log: FollowedLog;
  readonly readModels: ReadModels;
  readonly projection: Projection<Row>;
  /** In the catalogue, `building`, or `ready` to be brought up to the head again. */
  readonly generation: number;
  /** Ends the job early; what was built stays, to be gone on with. */
  readonly signal?: AbortSignal;
  /** Brings it exactly here, not to the log's head. */
  readonly until?: Position;
  readonly progress?: (progress: RebuildProgress) => void;
  readonly runner?: RunnerOptions;
  /** About how much of rows is held in memory, bytes. */
  readonly heldBytes?: number;
}

/** States in which a job may work on a generation. */
const BUILDABLE = ['building', 'ready'] as const;
/** How often a job looks whether it is still wanted, and where the log ends, milliseconds. */
const LOOK_EVERY_MS = 500;

/** The lock that whoever writes a generation holds, and whoever removes it. */
export function generationLock({ name, version }: RowSet, generation: number): string {
  return `${name}.v${version}.g${generation}`;
}

/**
 * Builds a generation to the log's head and records it as ready; or as failed, and why.
 *
 * @returns the generation as the catalogue has it now: ready, failed, cancelled or, where the
 *   signal ended the job, still building
 * @throws {ReadModelLockedError} another job is at it
 * @throws {RebuildEndedError} there is no such generation, or it is not to be built
 */
export async function rebuildGeneration<Row>(
  options: RebuildOptions<Row>,
): Promise<GenerationRecord> {
  const { readModels, projection, generation } = options;
  const release = await readModels.lock(generationLock(projection, generation));
  let catalog: ProjectionCatalog | undefined;
  let rows: ReadModel<Row> | undefined;
  try {
    catalog = await readModels.catalog(projection.name);
    await stillWanted(catalog, projection, generation);
    rows = await readModels.open(projection, generation);
    return await build(options, catalog, rows);
  } finally {
    await rows?.close();
    await catalog?.close();
    release();
  }
}

async function build<Row>(
  options: RebuildOptions<Row>,
  catalog: ProjectionCatalog,
  rows: ReadModel<Row>,
): Promise<GenerationRecord> {
  const { projection, generation, signal } = options;
  try {
    await foldTo(options, catalog, rows);
    if (signal?.aborted === true) return await stillWanted(catalog, projection, generation);
    await finish(rows);
  } catch (error) {
    if (error instanceof PoisonEventError && (await isDiscarded(catalog, error))) {
      return build(options, catalog, rows);
    }
    if (error instanceof RebuildEndedError) return found(await catalog.generation(generation));
    // What passes by itself, such as a full disk, is for a later run.
    if (!isFinal(error)) throw error;
    return found(await catalog.move(generation, BUILDABLE, 'failed', messageOf(error)));
  }
  return found(await catalog.move(generation, ['building'], 'ready'));
}

/** Folds until the log's head, or the place that was asked for, is reached. */
async function foldTo<Row>(
  options: RebuildOptions<Row>,
  catalog: ProjectionCatalog,
  rows: ReadModel<Row>,
): Promise<void> {
  const { log, projection, generation, signal, until, progress, runner: runnerOptions } = options;
  const clock = runnerOptions?.clock ?? systemClock;
  const before = (await rows.progress()).events;
  const arrived = new Subject<void>();
  let head = LOG_START;
  const wanted = async (): Promise<void> => {
    await stillWanted(catalog, projection, generation);
  };
  const fold = new BulkFold({
    projection,
    rows,
    discards: new DiscardSet(await catalog.discards()),
    clock,
    until,
    heldBytes: options.heldBytes,
    mayWrite: wanted,
    reached: (position) => {
      head = laterPosition(head, position);
      progress?.({ events: before + fold.folded, position, head });
      if (until && comparePositions(position, until) >= 0) arrived.next();
    },
  });
  const runner = new Runner(log, fold, runnerOptions);
  const look = defer(async () => {
    await wanted();
    head = laterPosition(head, await log.head().catch(() => head));
  }).pipe(
    concatMap(() => wait(clock, LOOK_EVERY_MS)),
    repeat(),
    ignoreElements(),
  );
  const ended = signal === undefined ? NEVER : whenAborted(signal);
  const started = defer(() => {
    runner.start();
    return runner.caughtUp();
  });
  try {
    await firstValueFrom(merge(look, ended, arrived, started), { defaultValue: undefined });
  } finally {
    // Not on to where the log ends by now: under load that goes on for ever.
    await runner.stop(0);
  }
  await fold.flush();
}

/** The rows are whole: they must outlive a power cut before anyone is told. */
async function finish<Row>(rows: ReadModel<Row>): Promise<void> {
  const parked = await rows.countParked();
  if (parked > 0) {
    throw new RebuildFailedError(
      `${parked} keys are parked: a start has begun it, which is not strict; rebuild again`,
    );
  }
  await rows.sync();
}

async function isDiscarded(
  catalog: ProjectionCatalog,
  { stream, revision, eventId }: PoisonEventError,
): Promise<boolean> {
  return (await catalog.discards()).some(
    (discard) =>
      discard.stream === stream && discard.revision === revision && discard.eventId === eventId,
  );
}

/** @throws {RebuildEndedError} */
async function stillWanted(
  catalog: ProjectionCatalog,
  { name, version }: RowSet,
  generation: number,
): Promise<GenerationRecord> {
  const record = await catalog.generation(generation);
  const wanted = record?.state === 'building' || record?.state === 'ready';
  if (wanted && record.version === version) return record;
  const is = record === undefined ? 'not there' : `version ${record.version}, ${record.state}`;
  throw new RebuildEndedError(
    `generation ${generation} of ${name} is ${is}: version ${version} does not build it`,
  );
}

function found(record: GenerationRecord | undefined): GenerationRecord {
  if (record) return record;
  throw new RebuildEndedError('the generation was removed while it was built');
}

function whenAborted(signal: AbortSignal): Observable<unknown> {
  return signal.aborted ? of(undefined) : fromEvent(signal, 'abort');
}
