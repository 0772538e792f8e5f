/** Where tests find a real EventStoreDB or KurrentDB, and what they do without one. */

export interface TestServer {
  /** `describe`, or the one that skips where there is no server. */
  readonly describe: (name: string, body: () => void) => void;
  /** @returns its connection string */
  start(): Promise<string>;
  stop(): Promise<void>;
}

/**
 * The server that `EVENTSTORE_URL` names. A container that is started for the tests would be
 * another way to come to the same three members.
 */
export function eventStoreServer(): TestServer {
  const url = process.env['EVENTSTORE_URL'];
  if (url !== undefined && url !== '') {
    return { describe, start: () => Promise.resolve(url), stop: () => Promise.resolve() };
  }
  process.stderr.write(
    'skipped: no real EventStoreDB; run them with EVENTSTORE_URL=esdb://host:2113?tls=false\n',
  );
  const { skip: skipped } = describe;
  const none = (): Promise<never> => Promise.reject(new Error('there is no server'));
  return { describe: skipped, start: none, stop: none };
}
