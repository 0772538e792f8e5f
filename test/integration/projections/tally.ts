/** A small projection that knows no todos: what an account holds, by its moves. */
import { z } from 'zod';
import type { StoredEvent } from '../../../src/events/log/event-log.js';
import {
  defineProjection,
  type Projection,
} from '../../../src/projections/runtime/define-projection.js';
import type { Told } from '../../unit/projections/session-scenario.js';

export interface Tally {
  readonly sum: number;
  readonly moves: number;
}

const moved = z.object({ by: z.number() });

export function move(by: unknown, account?: string): Told {
  return { type: 'moved', data: { by, account } };
}

export const closed: Told = { type: 'closed', data: {} };

/** @param account the row an event belongs to; by default its stream's */
export function tally(more: Partial<Projection<Tally>> = {}): Projection<Tally> {
  return defineProjection<Tally>({
    name: 'tally',
    version: 1,
    prefix: 'account-',
    row: z.object({ sum: z.number(), moves: z.number() }),
    initial: { sum: 0, moves: 0 },
    key: ({ stream }) => stream.slice('account-'.length),
    stream: (key) => `account-${key}`,
    evolve: applied,
    appliesWhenParked: ({ type }) => type === 'closed',
    ...more,
  });
}

export function applied({ sum, moves }: Tally, { type, data }: StoredEvent): Tally {
  if (type === 'closed') return { sum: 0, moves: -1 };
  return { sum: sum + moved.parse(data).by, moves: moves + 1 };
}
