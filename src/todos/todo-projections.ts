/** The checklist's projections: what a server runs, and what commands look at without one. */
import type { ProjectionHost } from '../projections/runtime/projection-host.js';
import { sessionOverviewProjection } from '../projections/session-overview/session-overview.projection.js';
import { sessionTodosProjection } from '../projections/session-todos/session-todos.projection.js';

/** Each adds one. They are of different rows, so that a list of them would have no type. */
export const TODO_PROJECTIONS: readonly ((host: ProjectionHost) => unknown)[] = [
  (host) => host.project(sessionTodosProjection),
  (host) => host.project(sessionOverviewProjection),
];
