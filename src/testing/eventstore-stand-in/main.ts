/**
 * The stand-in as a process of its own: `node …/main.js --port 0` prints its connection string.
 */
import { EventStoreStandIn } from './stand-in.js';

const standIn = await EventStoreStandIn.start();
process.stdout.write(`${standIn.connectionString}\n`);
