/** Which real servers tests run on, where there is Docker and where there is none. */
import {
  containerEnvironment,
  IMAGES,
  serverSources,
  testServer,
} from '../../contract/event-log/real-servers.js';

const docker = (): Promise<undefined> => Promise.resolve(undefined);
const noDocker = (): Promise<string> => Promise.resolve('no runtime');
const mustNotAsk = (): Promise<never> => Promise.reject(new Error('asked for Docker'));

describe('the servers that tests run on', () => {
  it('are the one that EVENTSTORE_URL names, and Docker is not asked for', async () => {
    const url = 'esdb://host:2113?tls=false';
    const env = { EVENTSTORE_URL: url, EVENTSTORE_IMAGE: 'other:1' };
    expect(await serverSources(env, mustNotAsk)).toEqual([{ kind: 'named', url }]);
    const server = testServer({ kind: 'named', url });
    expect(server).toMatchObject({ exists: true, describe });
    expect(await server.start()).toBe(url);
  });

  it('are containers of both products where Docker is there, or of the image that is named', async () => {
    expect(await serverSources({ EVENTSTORE_URL: '' }, docker)).toEqual([
      { kind: 'container', image: 'eventstore/eventstore:24.10' },
      { kind: 'container', image: 'kurrentplatform/kurrentdb:25.1' },
    ]);
    expect(await serverSources({ EVENTSTORE_IMAGE: 'other:1' }, docker)).toEqual([
      { kind: 'container', image: 'other:1' },
    ]);
    for (const image of IMAGES) {
      expect(testServer({ kind: 'container', image })).toMatchObject({ name: image, describe });
    }
  });

  it('are none without either: skipped, with a line that says why and how', async () => {
    const [source] = await serverSources({}, noDocker);
    expect(source).toEqual({ kind: 'none', why: 'there is no Docker (no runtime)' });
    const lines: string[] = [];
    const server = source && testServer(source, (line) => lines.push(line));
    expect(server?.describe).toBe(describe.skip);
    expect(lines).toEqual([
      'skipped, no real EventStoreDB: there is no Docker (no runtime); run them with Docker ' +
        '(EVENTSTORE_IMAGE=… for another image), or with ' +
        "EVENTSTORE_URL='esdb://host:2113?tls=false' npm run test:eventstore\n",
    ]);
  });

  it('are told their options by the prefix that their product reads', () => {
    expect(Object.keys(containerEnvironment(IMAGES[0]))).toContain('EVENTSTORE_INSECURE');
    expect(Object.keys(containerEnvironment(IMAGES[1]))).toContain('KURRENTDB_INSECURE');
  });
});
