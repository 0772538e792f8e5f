/**
 * The same contract on a real server: any that `EVENTSTORE_URL` names, also one that holds other
 * data. Without one it says how to run it, and counts as skipped.
 */
import { openEsdbEventLog } from '../../../src/events/log/esdb/open-esdb-event-log.js';
import { OwnStreams } from './esdb-own-streams.js';
import { eventStoreServer } from './esdb-server.js';
import { describeEventLogContract } from './event-log-contract.js';
import { SERVER } from './log-traits.js';

const server = eventStoreServer();

server.describe('EventStoreDB, real server', () => {
  let connectionString = '';
  beforeAll(async () => {
    connectionString = await server.start();
  });
  afterAll(async () => {
    await server.stop();
  });

  describeEventLogContract(
    'EventStoreDB',
    async () => OwnStreams.of(await openEsdbEventLog({ connectionString, headPollMs: 50 })),
    SERVER,
  );
});
