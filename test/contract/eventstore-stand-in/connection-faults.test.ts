/**
 * What happens to connections: a frozen server, a dead one, one that comes back, and the most
 * calls that a connection carries.
 */
import { EventStoreDBClient, streamNameFilter, START } from '@eventstore/db-client';
import { EventStoreStandIn } from '../../../src/testing/eventstore-stand-in/stand-in.js';
import { append, event, isPending, onStandIn, outcome, read, Watched } from './stand-in-client.js';

describe('a frozen server', () => {
  test(
    'answers nothing, and everything when it goes on',
    onStandIn(async (scene) => {
      const other = await EventStoreStandIn.start();
      const elsewhere = EventStoreDBClient.connectionString(other.connectionString);
      await append(scene, 'first');
      scene.standIn.freeze();
      const both = [append(scene, 's'), read(scene, 'first')];
      // A round trip to a server that is awake is as long as any answer would take.
      expect(await outcome(elsewhere.appendToStream('s', event()))).toBe('stored at 0');
      expect(await Promise.all(both.map(isPending))).toEqual([true, true]);
      expect(scene.standIn.observed.appends.received).toBe(1);

      scene.standIn.thaw();
      expect(await both[0]).toBe('stored at 0');
      expect(await both[1]).toHaveLength(1);
      void elsewhere.dispose();
      await other.close();
    }),
  );

  test(
    'does not answer pings: the client drops the connection, and what it sent is not stored',
    onStandIn(
      async (scene) => {
        const { standIn } = scene;
        await append(scene, 'first');
        const watched = new Watched(scene);
        await watched.sees('caughtUp');
        standIn.freeze();
        const dropped = 'UnavailableError: 14 UNAVAILABLE: Connection dropped';
        expect(await append(scene, 's')).toBe(dropped);
        await watched.sees(dropped);

        standIn.thaw({ dropped: true });
        expect(await append(scene, 's')).toBe('stored at 0');
        expect(standIn.observed.appends.stored).toBe(2);
      },
      {},
      '&keepAliveInterval=1000&keepAliveTimeout=500',
    ),
  );

  test(
    'accepts new connections and does not greet them',
    onStandIn(async (scene) => {
      scene.standIn.freeze();
      const waiting = append(scene, 's');
      await scene.standIn.observed.until(({ connections }) => connections === 1);
      expect(await isPending(waiting)).toBe(true);
      scene.standIn.thaw();
      expect(await waiting).toBe('stored at 0');
    }),
  );
});

describe('a server that dies', () => {
  test(
    'by SIGKILL rejects what is pending, and the same client works once it is back',
    onStandIn(async (scene) => {
      const { standIn } = scene;
      await append(scene, 'first');
      const watched = new Watched(scene);
      await watched.sees('caughtUp');
      standIn.faults.set({ silentAppends: 'stored' });
      const pending = append(scene, 's');
      await standIn.observed.until(({ appends }) => appends.received === 2);
      await standIn.stop();
      expect(await pending).toBe('UnavailableError: 14 UNAVAILABLE: read ECONNRESET');
      await watched.sees('UnavailableError: 14 UNAVAILABLE: read ECONNRESET');
      expect(await read(scene, 'first')).toMatch('UnavailableError: 14 UNAVAILABLE');

      standIn.faults.clear();
      await standIn.comeBack();
      expect(await read(scene, 's')).toHaveLength(1);
      expect(await append(scene, 'after')).toBe('stored at 0');
    }),
  );

  test(
    'and is down, refuses the first append of a client by a raw gRPC error',
    onStandIn(async (scene) => {
      await scene.standIn.stop();
      const failed = await scene.client
        .appendToStream('s', event())
        .catch((error: unknown) => error);
      expect(failed).toMatchObject({ code: 14 });
      expect(failed).not.toHaveProperty('type');
    }),
  );

  test.each([
    ['shutdown', 'UnavailableError: 14 UNAVAILABLE: Server Is Shutting Down'],
    ['cluster-shutdown', 'UnknownError: 2 UNKNOWN: Exception was thrown by handler.'],
  ] as const)('by SIGTERM tells its calls: %s', (death, shown) =>
    onStandIn(async (scene) => {
      const { standIn } = scene;
      await append(scene, 'first');
      const watched = new Watched(scene);
      await watched.sees('caughtUp');
      standIn.faults.set({ silentAppends: 'dropped' });
      const pending = append(scene, 's');
      await standIn.observed.until(({ appends }) => appends.received === 2);
      await standIn.stop(death);
      expect(await pending).toBe('UnavailableError: 14 UNAVAILABLE: Server Is Shutting Down');
      await watched.sees(shown);
    })(),
  );

  test(
    'and comes back with its log, its port and a new epoch',
    onStandIn(async (scene) => {
      const { standIn } = scene;
      await append(scene, 's');
      const { connectionString } = standIn;
      const end = standIn.store.end;
      await standIn.restart();
      expect(standIn.connectionString).toBe(connectionString);
      expect(standIn.store.all.at(-1)).toMatchObject({
        stream: '$epoch-information',
        position: end,
      });
      await standIn.observed.until(({ connections }) => connections === 0);
      expect(await outcome(read(scene, 's'))).toBe('done');
    }),
  );
});

describe('a connection', () => {
  test(
    'carries so many calls at once, and the others wait without an error',
    onStandIn(
      async (scene) => {
        const { client, standIn } = scene;
        const filter = streamNameFilter({ prefixes: ['none'] });
        const subscriptions = Array.from({ length: 12 }, () =>
          client.subscribeToAll({ fromPosition: START, filter }),
        );
        const confirmed = () =>
          standIn.observed.liveSubscriptions.filter(({ caughtUp }) => caughtUp).length;
        await standIn.observed.until(() => confirmed() === 10);
        const waiting = read(scene, 's');
        const other = await EventStoreStandIn.start();
        const elsewhere = EventStoreDBClient.connectionString(other.connectionString);
        await outcome(elsewhere.appendToStream('s', event()));
        void elsewhere.dispose();
        await other.close();
        expect(await isPending(waiting)).toBe(true);
        expect(confirmed()).toBe(10);

        await Promise.all(subscriptions.slice(0, 5).map((one) => one.unsubscribe()));
        expect(await waiting).toBe('StreamNotFoundError: s not found');
        await Promise.all(subscriptions.slice(5).map((one) => one.unsubscribe()));
      },
      { maxStreamsPerConnection: 10 },
    ),
  );
});

describe('what is observed', () => {
  test(
    'are calls with their headers, and what is open',
    onStandIn(
      async (scene) => {
        const { standIn } = scene;
        await append(scene, 's');
        await scene.client.appendToStream('s', event(), { requiresLeader: true });
        await appendedAlone(scene);
        const read = standIn.observed.calls.map(({ method, connectionName, acceptEncoding }) => ({
          method,
          connectionName,
          acceptEncoding,
        }));
        const acceptEncoding = 'identity,deflate,gzip';
        expect(read).toEqual([
          {
            method: 'ServerFeatures/GetSupportedMethods',
            connectionName: undefined,
            acceptEncoding,
          },
          { method: 'Streams/BatchAppend', connectionName: 'observed', acceptEncoding },
          { method: 'Streams/Append', connectionName: 'observed', acceptEncoding },
        ]);
        expect(standIn.observed.calls.at(-1)).toMatchObject({ requiresLeader: true });
        expect(standIn.observed.open('Streams/BatchAppend')).toBe(1);
        expect(standIn.observed.connections).toBe(1);
        expect(standIn.observed.appends).toEqual({
          received: 3,
          stored: 3,
          idempotent: 0,
          refused: 0,
        });
      },
      {},
      '&connectionName=observed',
    ),
  );
});

async function appendedAlone({ client }: { client: EventStoreDBClient }): Promise<void> {
  const credentials = { username: 'somebody', password: 'secret' };
  await client.appendToStream('s', event(), { credentials, requiresLeader: true });
}
