/** The HTTP suite, the very same files, on a real EventStoreDB or KurrentDB (real-servers.ts). */
import { realServer, START_MS } from '../../contract/event-log/real-servers.js';
import { HTTP_SUITE, registerHttpSuite } from './http-suite.js';
import { useEventStore } from './running-server.js';

/** @param index which of the servers that are there */
export async function registerOnRealServer(index: number): Promise<void> {
  const server = await realServer(index);
  if (!server.exists) {
    server.describe('the HTTP suite on a real server', () => {
      it.each(HTTP_SUITE)('%s', () => undefined);
    });
    return;
  }
  let url = '';
  beforeAll(async () => {
    url = await server.start();
  }, START_MS);
  afterAll(() => server.stop());
  useEventStore(() => Promise.resolve({ url, stop: () => Promise.resolve() }));
  await registerHttpSuite();
}
