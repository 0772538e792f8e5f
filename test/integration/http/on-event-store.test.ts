/** The HTTP suite once more, the very same files, with EventStoreDB's stand-in as the log. */
import { useStandIn } from './running-server.js';

useStandIn();

await import('./session-life.test.js');
await import('./live-list.test.js');
await import('./checklist-reports.test.js');
await import('./history-server.test.js');
