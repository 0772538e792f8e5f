/** The log on EventStoreDB keeps the contract, over the wire, on the stand-in of the server. */
import { openEsdbEventLog } from '../../../src/events/log/esdb/open-esdb-event-log.js';
import { EventStoreStandIn } from '../../../src/testing/eventstore-stand-in/stand-in.js';
import { OwnStreams } from './esdb-own-streams.js';
import { describeEventLogContract } from './event-log-contract.js';
import { SERVER } from './log-traits.js';

let standIn: EventStoreStandIn | undefined;
beforeAll(async () => {
  standIn = await EventStoreStandIn.start();
});
afterAll(async () => {
  await standIn?.close();
});

describeEventLogContract(
  'EventStoreDB, stand-in',
  async () => {
    const connectionString = standIn?.connectionString ?? '';
    return OwnStreams.of(await openEsdbEventLog({ connectionString, headPollMs: 20 }));
  },
  SERVER,
);
