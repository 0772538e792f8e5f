/**
 * The checklist's projections: what a server runs, what commands look at without one, and what a
 * process that builds generations knows.
 */
import type { Projection } from '../projections/runtime/define-projection.js';
import { sessionOverviewProjection } from '../projections/session-overview/session-overview.projection.js';
import { sessionTodosProjection } from '../projections/session-todos/session-todos.projection.js';

/** Hands its projection to `use`. They are of different rows: a plain list would have no type. */
export type TodoProjection = <Result>(use: <Row>(projection: Projection<Row>) => Result) => Result;

function the<Row>(projection: Projection<Row>): TodoProjection {
  return (use) => use(projection);
}

export const TODO_PROJECTIONS: readonly TodoProjection[] = [
  the(sessionTodosProjection),
  the(sessionOverviewProjection),
];
