/** After a restart: is everything there that was acknowledged, once, and is the view right? */
import { openSqliteLogReader } from '../../../src/events/log/sqlite/sqlite-log-reader.js';
import type { StoredEvent } from '../../../src/events/log/event-log.js';
import { formatPosition } from '../../../src/events/log/position.js';
import { sessionTodosProjection } from '../../../src/projections/session-todos/session-todos.projection.js';
import { toView } from '../../../src/projections/session-todos/session-todos.view.js';
import type { CrashClient } from './crash-client.js';

/** What was looked at; every fault is a sentence. */
export interface Recovery {
  readonly faults: readonly string[];
  readonly sessions: number;
  readonly acknowledged: number;
}

export async function checkRecovery(
  directory: string,
  url: string,
  clients: readonly CrashClient[],
): Promise<Recovery> {
  const log = openSqliteLogReader({ directory });
  const faults: string[] = clients.flatMap((client) => client.faults);
  let sessions = 0;
  let acknowledged = 0;
  try {
    const after = formatPosition(await log.head());
    for (const client of clients) {
      for (const [sessionId, receipts] of client.acknowledged) {
        sessions += 1;
        acknowledged += receipts.length;
        const events: StoredEvent[] = [];
        const stream = `agentSession-default.${sessionId}`;
        const options = { direction: 'forwards', limit: 1_000_000 } as const;
        for await (const event of log.read(stream, options)) events.push(event);
        const say = (what: string) => faults.push(`${sessionId}: ${what}`);
        checkKeys(events, say);
        if (client.deleted.has(sessionId)) {
          if (events.at(-1)?.type !== 'session/delete') say('an acknowledged delete is missing');
        } else {
          checkReceipts(receipts, events, say);
        }
        await checkView(
          `${url}/v1/sessions/${sessionId}/todos?after=${after}`,
          sessionId,
          events,
          say,
        );
      }
    }
  } finally {
    await log.close();
  }
  return { faults, sessions, acknowledged };
}

function checkReceipts(
  receipts: readonly { type: string; revision: bigint; key: string; todos?: unknown }[],
  events: readonly StoredEvent[],
  say: (what: string) => void,
): void {
  const byRevision = new Map(events.map((event) => [event.revision, event]));
  for (const { type, revision, key, todos } of receipts) {
    const event = byRevision.get(revision);
    if (event?.type !== type || keyOf(event) !== key) {
      say(`acknowledged ${type} ${key} is not at revision ${revision}`);
    } else if (todos !== undefined) {
      const stored = JSON.stringify((event.data as { todos: unknown }).todos);
      if (stored !== JSON.stringify(todos)) say(`revision ${revision} holds another list`);
    }
  }
}

/** A command that was sent twice is stored once; revisions have no gap. */
function checkKeys(events: readonly StoredEvent[], say: (what: string) => void): void {
  const seen = new Set<string>();
  events.forEach((event, i) => {
    const name = `${event.type} ${keyOf(event)}`;
    if (seen.has(name)) say(`${name} is stored twice`);
    seen.add(name);
    if (i > 0 && event.revision !== (events[i - 1]?.revision ?? 0n) + 1n) {
      say(`a gap before revision ${event.revision}`);
    }
  });
}

async function checkView(
  url: string,
  sessionId: string,
  events: readonly StoredEvent[],
  say: (what: string) => void,
): Promise<void> {
  const row = events.reduce(
    (before, event) =>
      sessionTodosProjection.evolve(before, event) ?? sessionTodosProjection.initial,
    sessionTodosProjection.initial,
  );
  const answer = await fetch(url);
  const body = await answer.text();
  if (row.kind === 'deleted') {
    if (answer.status !== 410) say(`a deleted session answers ${answer.status}`);
    return;
  }
  const fresh = JSON.stringify(toView(sessionId, row, { parked: false, epoch: 0 }));
  if (answer.status !== 200 || body !== fresh) {
    say(`the view (${answer.status}) ${body} is not the fresh fold ${fresh}`);
  }
}

function keyOf({ metadata }: StoredEvent): string {
  return (metadata as { $causationId: string }).$causationId;
}
