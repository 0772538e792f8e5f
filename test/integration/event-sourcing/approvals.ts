/** A domain that knows no todos: what was asked for and granted, by subject. */
import { randomUUID } from 'node:crypto';
import { Module } from '@nestjs/common';
import { z } from 'zod';
import type { EventLog, ExpectedRevision } from '../../../src/events/log/event-log.js';
import type { Position } from '../../../src/events/log/position.js';
import {
  defineProjection,
  type Projection,
} from '../../../src/projections/runtime/define-projection.js';
import { ProjectionHost } from '../../../src/projections/runtime/projection-host.js';
import type { ProjectionReader } from '../../../src/projections/runtime/projection-reader.js';

export interface Approval {
  readonly requested: number;
  readonly granted: number;
}

const PREFIX = 'approval-';

/** @param name of the projection */
export function approvalsProjection(name = 'approvals'): Projection<Approval> {
  return defineProjection<Approval>({
    name,
    version: 1,
    prefix: PREFIX,
    row: z.object({ requested: z.number(), granted: z.number() }),
    initial: { requested: 0, granted: 0 },
    key: ({ stream }) => stream.slice(PREFIX.length),
    evolve: (row, { type }) => {
      if (type === 'requested') return { ...row, requested: row.requested + 1 };
      return type === 'granted' ? { ...row, granted: row.granted + 1 } : row;
    },
  });
}

export const approvals = approvalsProjection();

/** The read side, as an application would write it: it asks for the reader when it is made. */
export class Approvals {
  readonly #rows: ProjectionReader<Approval>;

  constructor(host: ProjectionHost, projection = approvals) {
    this.#rows = host.reader(projection);
  }

  /** What stands once a position is folded. */
  async after(position: Position, subject: string): Promise<Approval | undefined> {
    expect(await this.#rows.reached(position, 10_000)).toBe(true);
    return (await this.#rows.get(subject))?.row;
  }
}

export const approvalsReader = {
  provide: Approvals,
  inject: [ProjectionHost],
  useFactory: (host: ProjectionHost) => new Approvals(host),
};

@Module({
  providers: [{ provide: 'APPROVALS', useValue: approvals }, approvalsReader],
  exports: [Approvals],
})
export class ApprovalsModule {}

/** Appends events of these types, and tells where they lie. */
export async function record(
  log: EventLog,
  subject: string,
  types: readonly string[],
  expected: ExpectedRevision = 'no_stream',
): Promise<Position> {
  const events = types.map((type) => ({ id: randomUUID(), type, data: {}, metadata: {} }));
  return (await log.append(PREFIX + subject, expected, events)).position;
}
