/** What the fixtures of each released schema version mean today. */
import type { SessionEvent } from '../../../src/events/session-events.js';

/** A version's events, by the names of their files. */
export type ReleasedEvents = Readonly<Record<string, SessionEvent>>;

const turnStart = (turnId: string): SessionEvent => ({ type: 'turn/start', data: { turnId } });

const VERSION_1: ReleasedEvents = {
  '00-session-start-new': { type: 'session/start', data: { origin: { kind: 'new' } } },
  '01-turn-start': turnStart('t1'),
  '02-todo-write': {
    type: 'todo/write',
    data: {
      turnId: 't1',
      todos: [
        { content: 'Read the plan:\n1. parts\n2. order', status: 'completed' },
        { content: 'Compare\ta and\tb', status: 'in_progress' },
        { content: 'Ship it 🚀 with 👩\u200d👩\u200d👧', status: 'pending' },
        { content: 'Cafe\u0301, decomposed', status: 'pending' },
        { content: 'Quote " and \\ and / and <b>&amp;</b>', status: 'pending' },
        { content: 'Line\u2028separator, 漢字', status: 'pending' },
      ],
    },
  },
  '03-todo-write-empty': { type: 'todo/write', data: { turnId: 't1', todos: [] } },
  '04-turn-end-completed': { type: 'turn/end', data: { turnId: 't1', outcome: 'completed' } },
  '05-turn-start': turnStart('t2'),
  '06-turn-end-aborted': { type: 'turn/end', data: { turnId: 't2', outcome: 'aborted' } },
  '07-turn-start': turnStart('t3'),
  '08-turn-end-failed': { type: 'turn/end', data: { turnId: 't3', outcome: 'failed' } },
  '09-turn-start': turnStart('t4'),
  '10-todo-write': {
    type: 'todo/write',
    data: { turnId: 't4', todos: [{ content: 'Left open', status: 'in_progress' }] },
  },
  '11-turn-end-superseded': { type: 'turn/end', data: { turnId: 't4', outcome: 'superseded' } },
  '12-turn-start': turnStart('t5'),
  '13-session-delete': { type: 'session/delete', data: {} },
  'fork-00-session-start-fork': {
    type: 'session/start',
    data: { origin: { kind: 'fork', sessionId: 's1' } },
  },
};

/** Only grows: a released version is there for ever. */
export const RELEASED: ReadonlyMap<number, ReleasedEvents> = new Map([[1, VERSION_1]]);
