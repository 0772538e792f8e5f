/** The live list on the real thing: nothing missed, nothing twice, nothing backwards. */
import { RunningServer } from './running-server.js';

let server: RunningServer;
beforeAll(async () => {
  server = await RunningServer.start();
});
afterAll(() => server.stop());

it('row 41: the first write of a brand-new session reaches a client that was there before', async () => {
  const client = await server.follow('new');
  await server.startTurn('new', 't1');
  await server.write('new', 't1', ['first']);
  const seen = [await client.next(), await client.next(), await client.next()];
  expect(seen.map((frame) => frame?.id)).toEqual(['0', '1', '2']);
  expect(seen[0]).toMatchObject({ event: 'todos', data: { state: 'never-written' } });
  expect(seen[2]).toMatchObject({ data: { state: 'current', todos: [{ content: 'first' }] } });
});

it('row 44: an empty first frame does not hold back what follows', async () => {
  const start = await server.startTurn('placeholder', 't1');
  await server.read('placeholder', start);
  const client = await server.follow('placeholder');
  expect(await client.next()).toMatchObject({ data: { state: 'never-written', todos: [] } });
  await server.write('placeholder', 't1', ['a']);
  expect(await client.next()).toMatchObject({ data: { state: 'current' } });
});

it('row 32: a list that was cleared comes as an explicit empty one', async () => {
  await server.startTurn('cleared', 't1');
  await server.write('cleared', 't1', ['a']);
  await server.read('cleared', await server.startTurn('cleared', 't2', true));
  const client = await server.follow('cleared');
  expect(await client.next()).toMatchObject({
    data: { state: 'cleared', todos: [], previous: { todos: [{ content: 'a' }] } },
  });
});

it('row 40: a client that was cut off resumes with the newest', async () => {
  await server.startTurn('resume', 't1');
  await server.read('resume', await server.write('resume', 't1', ['a']));
  const first = await server.follow('resume');
  expect(await first.next()).toMatchObject({ id: '2' });
  first.leave();
  await server.write('resume', 't1', ['b']);
  await server.write('resume', 't1', ['c']);
  // It asks for what it has not seen: the first frame waits until that is there.
  const again = await server.follow('resume', { 'last-event-id': '4' });
  expect(await again.next()).toMatchObject({ id: '4', data: { todos: [{ content: 'c' }] } });
});

it('row 46: of the view and the stream the newer wins, by revision', async () => {
  await server.startTurn('sources', 't1');
  const client = await server.follow('sources');
  const write = await server.write('sources', 't1', ['a']);
  const view = await server.read('sources', write);
  let frame = await client.next();
  while (frame !== undefined && frame.id !== '2') frame = await client.next();
  expect(frame?.data).toEqual(view.body);
});

it('row 94: a second client that joins in the middle of a turn sees the same', async () => {
  await server.startTurn('shared', 't1');
  await server.read('shared', await server.write('shared', 't1', ['a']));
  const first = await server.follow('shared');
  const second = await server.follow('shared');
  expect(await second.next()).toEqual(await first.next());
  await server.write('shared', 't1', ['b']);
  const [a, b] = [await first.next(), await second.next()];
  expect(a).toMatchObject({ id: '3' });
  expect(b).toEqual(a);
});

it('a deletion ends the stream', async () => {
  await server.startTurn('doomed', 't1');
  const client = await server.follow('doomed');
  await server.call('DELETE', `/v1/sessions/${server.id('doomed')}`);
  let frame = await client.next();
  while (frame?.event === 'todos') frame = await client.next();
  expect(frame).toMatchObject({ event: 'deleted', data: { sessionId: server.id('doomed') } });
  expect(await client.next()).toBeUndefined();
});
