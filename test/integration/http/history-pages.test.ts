/** GET todos/history: its limits, its edge, and paging while others write. */
import { MAX_PAGE_BYTES } from '../../../src/projections/todo-history/history-page.js';
import { born, foreign, HistoryApp, turn, wrote, type PageBody } from './history-app.js';

let history: HistoryApp;
beforeEach(async () => {
  history = await HistoryApp.open();
});
afterEach(() => history.close());

const revisionsOf = ({ items }: PageBody): number[] => items.map((item) => Number(item.revision));
const falling = (from: number, to: number): number[] =>
  Array.from({ length: from - to + 1 }, (_, index) => from - index);
const lists = (count: number) =>
  Array.from({ length: count }, (_, index) => wrote('t1', `P:item ${index}`));

describe('a page', () => {
  it('holds 50 lists unless told otherwise, and 500 at most', async () => {
    await history.given([born, turn('t1'), ...lists(501)]);
    const page = await history.page();
    expect(revisionsOf(page)).toEqual(falling(502, 453));
    expect(page.before).toBe('453');
    const most = await history.page('?limit=500');
    expect(revisionsOf(most)).toEqual(falling(502, 3));
    expect(most.before).toBe('3');
    expect(revisionsOf(await history.page('?limit=1'))).toEqual([502]);
  });

  it.each([
    ['', 52],
    ['?before=9223372036854775807', 52],
    ['?before=53', 52],
    ['?before=52', 51],
    ['?before=3', 2],
  ])('%s begins below `before`', async (query, first) => {
    await history.given([born, turn('t1'), ...lists(51), foreign]);
    expect(revisionsOf(await history.page(query))[0]).toBe(first);
  });

  it.each(['0', '1', '2'])('before=%s has nothing left', async (before) => {
    await history.given([born, turn('t1'), ...lists(3)]);
    expect(await history.page(`?before=${before}`)).toEqual({ items: [], before: null });
  });

  it('is the last when exactly its limit is left', async () => {
    await history.given([born, turn('t1'), ...lists(50)]);
    const page = await history.page();
    expect(page.items).toHaveLength(50);
    expect(page.before).toBeNull();
  });

  it('knows the change at its edge from the list behind it', async () => {
    await history.given([born, turn('t1'), wrote('t1', 'P:a'), foreign, wrote('t1', 'C:a')]);
    expect((await history.page('?limit=1')).items[0]?.change).toEqual({
      added: [],
      dropped: [],
      renamed: [],
      status: [{ content: 'a', from: 'pending', to: 'completed' }],
    });
  });

  it('ends early at 1 MiB and goes on after it', async () => {
    const large = (mark: string) => wrote('t1', `P:${mark}${'漢'.repeat(60_000)}`);
    await history.given([born, turn('t1')]);
    for (let count = 0; count < 8; count += 1) await history.given([large(`${count} `)]);
    const seen: number[] = [];
    let sizes = 0;
    let before: string | null = '10';
    // A page that does not move on must not go on for ever.
    while (before !== null && seen.length < 20) {
      const answer = await history.get(`?before=${before}`);
      expect(Buffer.byteLength(answer.body)).toBeLessThanOrEqual(MAX_PAGE_BYTES);
      const page = answer.json<PageBody>();
      expect(page.items.length).toBeGreaterThan(0);
      seen.push(...revisionsOf(page));
      before = page.before;
      sizes += 1;
    }
    expect(seen).toEqual(falling(9, 2));
    expect(sizes).toBeGreaterThan(2);
  });

  it('holds one list larger than 1 MiB with its change', async () => {
    await history.given([born, turn('t1'), wrote('t1', 'P:a')]);
    await history.given([wrote('t1', `P:${'x'.repeat(1_000_000)}`)]);
    const page = await history.page();
    expect(revisionsOf(page)).toEqual([3]);
    expect(page.before).toBe('3');
    expect(revisionsOf(await history.page('?before=3'))).toEqual([2]);
  });
});

describe('paging while others write', () => {
  it('gives every list once, none twice, and none that came later', async () => {
    await history.given([born, turn('t1'), ...lists(40)]);
    const seen: number[] = [];
    let page = await history.page('?limit=7');
    while (seen.push(...revisionsOf(page)) < 100) {
      if (page.before === null) break;
      // A turn more, written between two events that the page reads.
      let written = false;
      history.log.beforeEach = async () => {
        if (written) return;
        written = true;
        await history.given([turn(`n${seen.length}`), wrote(`n${seen.length}`, 'P:new')]);
      };
      page = await history.page(`?limit=7&before=${page.before}`);
      expect(written).toBe(true);
    }
    expect(seen).toEqual(falling(41, 2));
    history.log.beforeEach = () => undefined;
    // Five pages came after the first, and each saw a turn of two events begin.
    expect(revisionsOf(await history.page('?limit=1'))).toEqual([51]);
  });
});

describe('a reading that nobody waits for', () => {
  it('ends when the server stops, with 503', async () => {
    await history.given([
      born,
      turn('t1'),
      ...lists(1),
      ...Array<typeof foreign>(500).fill(foreign),
    ]);
    const stop = history.draining;
    let left = 100;
    history.log.beforeEach = () => {
      left -= 1;
      if (left === 0) stop.begin();
    };
    const answer = await history.get();
    expect(answer.statusCode).toBe(503);
    expect(answer.headers).toMatchObject({ 'retry-after': '1' });
    expect(answer.json()).toMatchObject({ code: 'store_unavailable' });
    expect(history.log.taken).toBeLessThan(110);
  });

  it('ends when the client leaves', async () => {
    await history.given([born, turn('t1'), wrote('t1', 'P:a')]);
    const url = await history.listen();
    const client = new AbortController();
    const disconnected = new Promise<void>((resolve) => {
      history.app.getHttpServer().prependListener('request', (_request, response) => {
        response.once('close', resolve);
      });
    });
    // The first event is held back until the server has seen the client go.
    history.log.beforeEach = () => {
      client.abort();
      return disconnected;
    };
    const readingEnded = new Promise<void>((resolve) => {
      history.log.afterwards = resolve;
    });
    const answer = fetch(`${url}/v1/sessions/s1/todos/history`, { signal: client.signal });
    await expect(answer).rejects.toThrow();
    await readingEnded;
    await new Promise(setImmediate);
    // The search for the last event of ours was cut short, and no page was begun.
    expect(history.log.taken).toBe(1);
  });

  it('is not begun once the server stops', async () => {
    await history.given([born, turn('t1')]);
    history.draining.begin();
    expect((await history.get()).statusCode).toBe(503);
    expect(history.log.taken).toBe(0);
  });
});
