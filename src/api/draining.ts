/**
 * The moment the service stops: open streams end, waits give up, new work is refused. It comes
 * first at shutdown, before connections, projections and the log (faults.md C 49).
 */
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Problem } from './problem/problem.js';

@Injectable()
export class Draining implements OnModuleDestroy {
  private readonly listeners = new Set<() => void>();
  private begun = false;

  /** True from {@link begin} on. */
  get started(): boolean {
    return this.begun;
  }

  /** Nest's first shutdown hook, for applications that import the module. */
  onModuleDestroy(): void {
    this.begin();
  }

  /** Calls every listener, once. May be called again. */
  begin(): void {
    if (this.begun) return;
    this.begun = true;
    for (const listener of this.listeners) listener();
    this.listeners.clear();
  }

  /** @returns forgets the listener */
  onBegin(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /** @throws {Problem} the service is stopping */
  assertServing(): void {
    if (this.begun) throw stopping();
  }
}

/** What a request gets that comes, or still waits, when the service stops. */
export function stopping(): Problem {
  return new Problem('store_unavailable', 'the server is stopping; send the request again');
}
