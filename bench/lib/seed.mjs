/** Fills a folder with long sessions, by way of the logs themselves: HTTP would take too long. */
import { randomUUID } from 'node:crypto';
import { openStore } from '../bare/store.mjs';
import { makeTodos } from './todos.mjs';

const APPEND_EVENTS = 500;
/** Turn start, three writes, turn end. */
const TURN_EVENTS = 5;

/** @param targets sessions: their events, and whether in one turn or many; the last is open */
export async function seedPlanlog(directory, targets) {
  const { openSqliteEventLog } = await import(
    new URL('../../dist/src/events/log/sqlite/open-sqlite-event-log.js', import.meta.url)
  );
  const log = await openSqliteEventLog({ directory });
  try {
    for (const target of targets) {
      const events = eventsOf(target);
      const stream = `agentSession-default.${target.session}`;
      for (let at = 0; at < events.length; at += APPEND_EVENTS) {
        const expected = at === 0 ? 'no_stream' : BigInt(at) - 1n;
        const some = events.slice(at, at + APPEND_EVENTS).map(({ type, data }) => ({
          id: randomUUID(),
          type,
          data,
          metadata: {
            $correlationId: `default.${target.session}`,
            $causationId: randomUUID(),
            schemaVersion: 1,
            actor: { kind: 'agent', subject: 'local' },
          },
        }));
        await log.append(stream, expected, some);
      }
    }
  } finally {
    await log.close();
  }
}

export async function seedBare(directory, targets) {
  const store = await openStore(directory);
  for (const { session, events } of targets) {
    let writes = [];
    for (let index = 0; index < events; index += 1) {
      writes.push(store.write(session, { turnId: 'last', todos: makeTodos(index) }));
      if (writes.length < APPEND_EVENTS && index + 1 < events) continue;
      await Promise.all(writes);
      writes = [];
    }
  }
  await store.close();
}

function eventsOf({ events: count, shape, turnId }) {
  const events = [{ type: 'session/start', data: { origin: { kind: 'new' } } }];
  const write = (turn) => {
    events.push({
      type: 'todo/write',
      data: { turnId: turn, todos: makeTodos(events.length) },
    });
  };
  if (shape === 'turns') {
    for (let turn = 0; events.length + TURN_EVENTS + 4 <= count; turn += 1) {
      events.push({ type: 'turn/start', data: { turnId: `t${turn}` } });
      for (let index = 0; index < 3; index += 1) write(`t${turn}`);
      events.push({ type: 'turn/end', data: { turnId: `t${turn}`, outcome: 'completed' } });
    }
  }
  events.push({ type: 'turn/start', data: { turnId } });
  const last = shape === 'turns' ? Math.min(count, events.length + 3) : count;
  while (events.length < last) write(turnId);
  return events;
}
