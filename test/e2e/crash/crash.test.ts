import { crashRounds } from './crash-rounds.js';

it('SIGKILL under load, five times: nothing acknowledged is lost, every view is right', async () => {
  const { faults, acknowledged } = await crashRounds(5);
  expect(faults).toEqual([]);
  expect(acknowledged).toBeGreaterThan(100);
}, 120_000);
