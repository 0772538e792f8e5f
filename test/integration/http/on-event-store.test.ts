/** The HTTP suite once more, the very same files, with EventStoreDB's stand-in as the log. */
import { EventStoreStandIn } from '../../../src/testing/eventstore-stand-in/stand-in.js';
import { registerHttpSuite } from './http-suite.js';
import { useEventStore } from './running-server.js';

useEventStore(async () => {
  const standIn = await EventStoreStandIn.start();
  return { url: standIn.connectionString, stop: () => standIn.close() };
});

await registerHttpSuite();
