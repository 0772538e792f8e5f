/** Closing a pull in bounded time, before anything else goes on. */
import {
  catchError,
  concat,
  concatWith,
  defer,
  EMPTY,
  ignoreElements,
  takeUntil,
  throwError,
  type MonoTypeOperatorFunction,
  type Observable,
} from 'rxjs';
import type { EventPuller } from '../../events/log/event-log.js';
import { wait, type Clock } from './clock.js';

/** How long a pull may take to close; then it is left to itself. */
export const CLOSE_MS = 2_000;

/** Completes when the pull is closed, or has failed to close in time. */
export function closePuller(puller: EventPuller, clock: Clock): Observable<never> {
  return defer(() => puller.close()).pipe(
    catchError(() => EMPTY),
    takeUntil(wait(clock, CLOSE_MS)),
    ignoreElements(),
  );
}

/** Ends as the source ends, but not before the pull is closed: whoever opens another then has
 * the only one (faults.md A9). */
export function closedAfterwards<T>(
  puller: EventPuller,
  clock: Clock,
): MonoTypeOperatorFunction<T> {
  const close = closePuller(puller, clock);
  return (source) =>
    source.pipe(
      catchError((error: unknown) => {
        const failed = throwError(() => error);
        return concat(close, failed);
      }),
      concatWith(close),
    );
}
