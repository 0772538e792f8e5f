/** Lists and views that several examples show. */

/** What `list-written` writes. */
export const LIST = [
  { content: 'Reproduce the rounding error', status: 'completed' },
  { content: 'Fix the tax calculation', status: 'in_progress' },
  { content: 'Add a regression test', status: 'pending' },
];

export const COUNTS = { pending: 1, inProgress: 1, completed: 1, total: 3 };

/** The view after `list-written`. */
export const VIEW = {
  sessionId: 'session-1',
  state: 'current',
  todos: LIST,
  counts: COUNTS,
  revision: '2',
  turn: { id: 'turn-1', state: 'open', outcome: null },
  activity: 'running',
  previous: null,
  problems: 0,
  parked: false,
  epoch: 0,
  updatedAt: '2026-11-30T09:00:00.000Z',
};

/** The view after `next-turn-started`. */
export const CLEARED_VIEW = {
  ...VIEW,
  state: 'cleared',
  todos: [],
  counts: { pending: 0, inProgress: 0, completed: 0, total: 0 },
  revision: '4',
  turn: { id: 'turn-2', state: 'open', outcome: null },
  activity: 'idle',
  previous: { todos: LIST, turnId: 'turn-1', outcome: 'completed', revision: '2' },
};

/** The first frame of the stream after `list-written`. */
export const FRAME = `event: todos\nid: 2\ndata: ${JSON.stringify(VIEW)}\n\n`;
