/** Each projection that the stock server runs can be built anew by it, and looked at without it. */
import { z } from 'zod';
import { ProjectionHost } from '../../../src/projections/runtime/projection-host.js';
import { STOCK_REBUILDS } from '../../../src/server/rebuild/stock-rebuilds.js';
import { TODO_PROJECTIONS } from '../../../src/todos/todo-projections.js';
import { eventually } from '../projections/generations-scenario.js';
import { RunningServer } from './running-server.js';

const generation = z.looseObject({ generation: z.number(), state: z.string() });

let server: RunningServer;
beforeAll(async () => {
  server = await RunningServer.start();
});
afterAll(() => server.stop());

it('knows the fold of each', async () => {
  const statuses = await server.planlog.app.get(ProjectionHost).statuses();
  const running = statuses.filter(({ kind }) => kind === 'projection').map(({ name }) => name);
  expect([...STOCK_REBUILDS.keys()].sort()).toEqual([...running].sort());
  expect(TODO_PROJECTIONS).toHaveLength(running.length);
});

it.each([...STOCK_REBUILDS.keys()])(
  'builds and promotes %s, and the fleet shows the same',
  async (name) => {
    // The second time it is refused: the turn is open.
    await server.read('s1', await server.startTurn('s1', 't1'));
    const path = `/v1/projections/${name}/generations`;
    const before = (await server.call('GET', '/v1/sessions')).body;
    const begun = await server.call('POST', path);
    expect(begun.status).toBe(202);
    const { generation: number } = generation.parse(begun.body);
    await eventually(async () => {
      const { body } = await server.call('GET', path);
      const { items } = z.object({ items: z.array(generation) }).parse(body);
      return items.some((one) => one.generation === number && one.state === 'ready');
    });
    expect((await server.call('POST', `${path}/${number}/promote`)).status).toBe(202);
    expect((await server.call('GET', '/v1/sessions')).body).toEqual(before);
  },
  60_000,
);
