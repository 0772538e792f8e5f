/**
 * The same contract on real servers (real-servers.ts), also on one that holds other data.
 * Without any it says why and how to run it, and counts as skipped.
 */
import { openEsdbEventLog } from '../../../src/events/log/esdb/open-esdb-event-log.js';
import { OwnStreams } from './esdb-own-streams.js';
import { describeEventLogContract } from './event-log-contract.js';
import { SERVER } from './log-traits.js';
import { realServers, START_MS } from './real-servers.js';

for (const server of await realServers()) {
  server.describe(`on ${server.name}`, () => {
    let connectionString = '';
    beforeAll(async () => {
      connectionString = await server.start();
    }, START_MS);
    afterAll(() => server.stop());

    describeEventLogContract(
      server.name,
      async () => OwnStreams.of(await openEsdbEventLog({ connectionString, headPollMs: 50 })),
      SERVER,
    );
  });
}
