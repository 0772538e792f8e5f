/** Reading the history takes no more memory than a page, however long the stream. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { EventLog, ReadOptions, StoredEvent } from '../../../src/events/log/event-log.js';
import { positionOf } from '../../../src/events/log/position.js';
import { TodoHistory } from '../../../src/projections/todo-history/todo-history.js';

const session = { tenant: 'default', sessionId: 's1' };

setFlagsFromString('--expose-gc');
const gc: unknown = runInNewContext('gc');

function collectGarbage(): void {
  if (typeof gc !== 'function') throw new TypeError('no garbage collector');
  Reflect.apply(gc, undefined, []);
}

/** A stream that exists only while it is read: lists of one turn, foreign events between. */
class EndlessLog implements Pick<EventLog, 'read'> {
  taken = 0;
  /** Some of the events that were handed out. */
  readonly samples: WeakRef<StoredEvent>[] = [];

  constructor(
    private readonly last: bigint,
    private readonly typeAt: (revision: bigint) => string,
  ) {}

  async *read(
    stream: string,
    { direction, from }: ReadOptions,
  ): AsyncGenerator<StoredEvent, void, undefined> {
    if (direction !== 'backwards') throw new TypeError('the history reads backwards');
    for (let revision = from ?? this.last; revision >= 0n; revision -= 1n) {
      const event = this.#at(stream, revision);
      this.taken += 1;
      if (this.taken % 500 === 0) {
        this.samples.push(new WeakRef(event));
        // Weak references count as strong until the event loop moves on.
        await nextTurn();
      }
      yield event;
    }
  }

  alive(): number {
    collectGarbage();
    return this.samples.filter((sample) => sample.deref() !== undefined).length;
  }

  #at(stream: string, revision: bigint): StoredEvent {
    const type = this.typeAt(revision);
    const content = `item at ${revision.toString()}`;
    return {
      stream,
      revision,
      position: positionOf(revision + 1n),
      id: '00000000-0000-4000-8000-000000000000',
      type,
      data: { turnId: 't1', todos: [{ content, status: 'pending' }] },
      metadata: {},
      created: new Date(0),
      bytes: 100,
    };
  }
}

describe('a turn of 100,000 lists', () => {
  const everyEventAList = (revision: bigint): string =>
    revision === 0n ? 'session/start' : revision === 1n ? 'turn/start' : 'todo/write';

  it('is read no further than one list behind the page', async () => {
    const log = new EndlessLog(100_001n, everyEventAList);
    const read = await new TodoHistory(log).page(session, { limit: 3 });
    expect(read).toMatchObject({ state: 'present', page: { before: '99999' } });
    // The last event, to know that there is a session; three lists, and the one behind them.
    expect(log.taken).toBe(1 + 3 + 1);
  });

  it('is read from `before` on, not from its end', async () => {
    const log = new EndlessLog(100_001n, everyEventAList);
    const query = { limit: 2, before: 50_000n };
    const read = await new TodoHistory(log).page(session, query);
    expect(read).toMatchObject({
      state: 'present',
      page: { items: [{ revision: '49999' }, { revision: '49998' }], before: '49998' },
    });
    expect(log.taken).toBe(1 + 2 + 1);
  });
});

describe('50,000 foreign events between two lists', () => {
  const last = 50_003n;
  const farApart = (revision: bigint): string => {
    if (revision === 0n) return 'session/start';
    if (revision === 1n) return 'turn/start';
    return revision === 2n || revision === last ? 'todo/write' : 'message/append';
  };

  it('are passed over, and none is kept', async () => {
    const log = new EndlessLog(last, farApart);
    let aliveMidway = Infinity;
    const watched: Pick<EventLog, 'read'> = {
      async *read(stream, options) {
        for await (const event of log.read(stream, options)) {
          if (event.revision === 3n) aliveMidway = log.alive();
          yield event;
        }
      },
    };
    const read = await new TodoHistory(watched).page(session, { limit: 1 });
    expect(read).toMatchObject({
      state: 'present',
      page: { items: [{ change: { added: ['item at 50003'], dropped: ['item at 2'] } }] },
    });
    expect(log.samples.length).toBeGreaterThan(80);
    expect(aliveMidway).toBeLessThan(5);
  });
});

describe('a signal', () => {
  it('ends the reading between two events', async () => {
    const gone = new AbortController();
    const log = new EndlessLog(10_000n, (revision) => {
      if (revision === 9_000n) gone.abort();
      return revision === 10_000n ? 'turn/start' : 'message/append';
    });
    const read = await new TodoHistory(log).page(session, { limit: 1, signal: gone.signal });
    expect(read).toEqual({ state: 'aborted' });
    expect(log.taken).toBe(1 + 1_001);
  });

  it('ends also the search for the last event of ours', async () => {
    const gone = new AbortController();
    const log = new EndlessLog(10_000n, (revision) => {
      if (revision === 9_000n) gone.abort();
      return 'message/append';
    });
    const read = await new TodoHistory(log).page(session, { limit: 1, signal: gone.signal });
    expect(read).toEqual({ state: 'aborted' });
    expect(log.taken).toBe(1_001);
  });
});
