/** The row that `session-overview` keeps for a session: what a fleet page shows of it, as JSON. */
import { z } from 'zod';
import { TURN_OUTCOMES } from '../../events/session-events.js';

const revision = z.string().regex(/^-?[0-9]{1,20}$/);
const count = z.int().nonnegative();

const session = z.object({
  kind: z.literal('session'),
  state: z.enum(['never-written', 'current', 'cleared']),
  counts: z
    .object({ pending: count, inProgress: count, completed: count, total: count })
    .readonly(),
  /** Contents in progress, in the order of the list. */
  active: z.array(z.string()).readonly(),
  /** The latest turn. */
  turn: z
    .object({
      id: z.string(),
      state: z.enum(['open', 'ended']),
      outcome: z.enum(TURN_OUTCOMES).nullable(),
    })
    .readonly()
    .nullable(),
  /** When the open turn's latest `todo/write` was stored, milliseconds since the epoch. */
  writtenAt: z.int().nullable(),
  /** Of the last event that was applied, or skipped as a problem. */
  revision,
  /** That event's time, milliseconds since the epoch: most rows are never read as text. */
  updatedAt: z.int(),
});

/** What is left of a deleted session: no text, and enough to tell followers that it is gone. */
const tombstone = z.object({ kind: z.literal('deleted'), revision, updatedAt: z.int() });

export const sessionOverviewRow = z.union([session.readonly(), tombstone.readonly()]);

export type SessionOverviewRow = z.infer<typeof sessionOverviewRow>;
export type OverviewSession = Extract<SessionOverviewRow, { kind: 'session' }>;

/** A session before its first event. */
export const INITIAL_OVERVIEW: OverviewSession = Object.freeze({
  kind: 'session',
  state: 'never-written',
  counts: Object.freeze({ pending: 0, inProgress: 0, completed: 0, total: 0 }),
  active: [],
  turn: null,
  writtenAt: null,
  revision: '-1',
  updatedAt: 0,
});
