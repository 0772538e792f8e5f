/**
 * Where tests find a real EventStoreDB or KurrentDB, and what they do without one: the server
 * that EVENTSTORE_URL names, else containers where Docker is there, else none.
 */
import type { StartedTestContainer } from 'testcontainers';

/** What runs where nothing else is said: the oldest and the newest line that is supported. */
export const IMAGES = ['eventstore/eventstore:24.10', 'kurrentplatform/kurrentdb:25.1'] as const;

export type ServerSource =
  | { readonly kind: 'named'; readonly url: string }
  | { readonly kind: 'container'; readonly image: string }
  | { readonly kind: 'none'; readonly why: string };

export interface TestServer {
  readonly name: string;
  /** `describe`, or the one that skips where there is no server. */
  readonly describe: (name: string, body: () => void) => void;
  readonly exists: boolean;
  /** @returns its connection string */
  start(): Promise<string>;
  stop(): Promise<void>;
}

/** To get an image, and to start a server from it, in milliseconds. */
export const START_MS = 300_000;

const PORT = 2113;

const HOW_TO =
  'run them with Docker (EVENTSTORE_IMAGE=… for another image), or with ' +
  "EVENTSTORE_URL='esdb://host:2113?tls=false' npm run test:eventstore";

/**
 * @param env EVENTSTORE_URL names a server, EVENTSTORE_IMAGE another image
 * @param dockerProblem why there is no Docker; undefined where there is
 */
export async function serverSources(
  env: Readonly<Record<string, string | undefined>>,
  dockerProblem: () => Promise<string | undefined>,
): Promise<readonly ServerSource[]> {
  const { EVENTSTORE_URL: url = '', EVENTSTORE_IMAGE: other = '' } = env;
  if (url !== '') return [{ kind: 'named', url }];
  const problem = await dockerProblem();
  if (problem !== undefined) return [{ kind: 'none', why: `there is no Docker (${problem})` }];
  const images = other === '' ? IMAGES : [other];
  return images.map((image) => ({ kind: 'container', image }));
}

/** Every server that tests can have; one that skips them, with a line that says why, for none. */
export async function realServers(): Promise<readonly TestServer[]> {
  const sources = await serverSources(process.env, dockerProblem);
  return sources.map((source) => testServer(source));
}

/** The server at this place of {@link realServers}, for a test file that can have only one. */
export async function realServer(index: number): Promise<TestServer> {
  const sources = await serverSources(process.env, dockerProblem);
  const why = 'another file runs them on the only server there is';
  return testServer(sources[index] ?? { kind: 'none', why });
}

export function testServer(
  source: ServerSource,
  say: (line: string) => void = (line) => process.stderr.write(line),
): TestServer {
  switch (source.kind) {
    case 'named': {
      const { url } = source;
      const start = (): Promise<string> => Promise.resolve(url);
      const stop = (): Promise<void> => Promise.resolve();
      return { name: 'the server of EVENTSTORE_URL', describe, exists: true, start, stop };
    }
    case 'container':
      return containerServer(source.image);
    case 'none': {
      say(`skipped, no real EventStoreDB: ${source.why}; ${HOW_TO}\n`);
      const { skip: skipped } = describe;
      const none = (): Promise<never> => Promise.reject(new Error(source.why));
      return { name: 'no server', describe: skipped, exists: false, start: none, stop: none };
    }
  }
}

function containerServer(image: string): TestServer {
  let container: StartedTestContainer | undefined;
  return {
    name: image,
    describe,
    exists: true,
    async start() {
      const { GenericContainer, Wait } = await import('testcontainers');
      container = await new GenericContainer(image)
        .withEnvironment(containerEnvironment(image))
        .withExposedPorts(PORT)
        .withWaitStrategy(Wait.forHttp('/health/live', PORT).forStatusCode(204))
        .withStartupTimeout(START_MS)
        .start();
      return `esdb://${container.getHost()}:${container.getMappedPort(PORT)}?tls=false`;
    },
    async stop() {
      await container?.stop();
      container = undefined;
    },
  };
}

/** The options got a new prefix with the new name. */
export function containerEnvironment(image: string): Record<string, string> {
  const prefix = image.includes('kurrent') ? 'KURRENTDB' : 'EVENTSTORE';
  return {
    [`${prefix}_CLUSTER_SIZE`]: '1',
    [`${prefix}_INSECURE`]: 'true',
    [`${prefix}_RUN_PROJECTIONS`]: 'None',
    [`${prefix}_START_STANDARD_PROJECTIONS`]: 'false',
  };
}

/** Why no container can be started; undefined where one can. */
async function dockerProblem(): Promise<string | undefined> {
  const { getContainerRuntimeClient } = await import('testcontainers');
  try {
    await getContainerRuntimeClient();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
