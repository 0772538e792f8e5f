/** GET todos/history on a real server, its log on disk. */
import { z } from 'zod';
import { RunningServer, type Answer } from './running-server.js';

let server: RunningServer;
beforeAll(async () => {
  server = await RunningServer.start();
});
afterAll(() => server.stop());

const pageBody = z.object({
  items: z.array(z.object({ revision: z.string(), todos: z.array(z.unknown()) })),
  before: z.string().nullable(),
});

const read = (session: string, query = ''): Promise<Answer> =>
  server.call('GET', `/v1/sessions/${server.id(session)}/todos/history${query}`);

it('leads back over every page while a writer goes on', async () => {
  await server.startTurn('long', 't1');
  const written: number[] = [];
  const write = async (): Promise<void> => {
    const answer = await server.write('long', 't1', [`list ${written.length}`]);
    written.push(
      z
        .object({ revision: z.string() })
        .transform((r) => Number(r.revision))
        .parse(answer.body),
    );
  };
  // More than the log reads at once.
  for (let count = 0; count < 60; count += 1) await write();
  const expected = written.toReversed();

  const seen: number[] = [];
  let before: string | null = '62';
  while (before !== null && seen.length < 100) {
    const [answer] = await Promise.all([read('long', `?limit=8&before=${before}`), write()]);
    expect(answer.status).toBe(200);
    const page = pageBody.parse(answer.body);
    seen.push(...page.items.map(({ revision }) => Number(revision)));
    before = page.before;
  }
  expect(seen).toEqual(expected);
  const newest = pageBody.parse((await read('long', '?limit=1')).body);
  expect(newest.items[0]?.revision).toBe(String(written.at(-1)));
});

it('answers HEAD like GET, without the body', async () => {
  await server.startTurn('head', 't1');
  const answer = await server.call('HEAD', `/v1/sessions/${server.id('head')}/todos/history`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('private, no-cache');
  expect(answer.body).toBeUndefined();
});

it('is empty for a fork, 404 before the session and 410 after it', async () => {
  expect((await read('life')).status).toBe(404);
  await server.startTurn('life', 't1');
  await server.write('life', 't1', ['secret']);
  await server.call('POST', `/v1/sessions/${server.id('life')}/fork`, {
    sessionId: server.id('child'),
  });
  expect((await read('child')).body).toEqual({ items: [], before: null });

  const gone = await server.call('DELETE', `/v1/sessions/${server.id('life')}`);
  // At once, and when the reaction has truncated what came before.
  expect((await read('life')).status).toBe(410);
  await server.read('life', gone);
  expect((await read('life')).body).toMatchObject({ code: 'session_deleted' });
});
