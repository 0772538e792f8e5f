/**
 * Several stand-ins as a cluster, and one that says another leads.
 */
import { EventStoreDBClient, NO_STREAM } from '@eventstore/db-client';
import { StandInCluster } from '../../../src/testing/eventstore-stand-in/stand-in-cluster.js';
import { event, onStandIn, outcome } from './stand-in-client.js';

function appendOnLeader(client: EventStoreDBClient, stream: string): Promise<string> {
  const options = { expectedRevision: NO_STREAM, requiresLeader: true } as const;
  return outcome(client.appendToStream(stream, event(), options));
}

describe('a cluster', () => {
  test('is discovered, follows its leader, and shares one log', async () => {
    const cluster = await StandInCluster.start(3);
    const client = EventStoreDBClient.connectionString(cluster.connectionString);
    try {
      const [first, second] = cluster.nodes;
      if (first === undefined || second === undefined) throw new Error('a small cluster');
      expect(await appendOnLeader(client, 's1')).toBe('stored at 0');
      expect(first.observed.appends.stored).toBe(1);

      cluster.lead(second);
      expect(await appendOnLeader(client, 's2')).toMatch(
        'NotLeaderError: 5 NOT_FOUND: Leader info',
      );
      expect(await appendOnLeader(client, 's2')).toBe('stored at 0');
      expect(second.observed.appends.stored).toBe(1);

      await first.stop();
      expect(await appendOnLeader(client, 's3')).toBe('stored at 0');
      expect(cluster.store.logOf('s1')?.lastRevision).toBe(0n);
    } finally {
      void client.dispose();
      await cluster.close();
    }
  });

  test('forwards to its leader what does not require it', async () => {
    const cluster = await StandInCluster.start(2);
    const follower = cluster.nodes[1];
    if (follower === undefined) throw new Error('a small cluster');
    const client = EventStoreDBClient.connectionString(follower.connectionString);
    try {
      const options = { expectedRevision: NO_STREAM } as const;
      expect(await outcome(client.appendToStream('s', event(), options))).toBe('stored at 0');
      expect(follower.observed.appends.stored).toBe(1);
    } finally {
      void client.dispose();
      await cluster.close();
    }
  });
});

describe('a server that is told not to lead', () => {
  test(
    'names another, that may be dead, to calls that require the leader',
    onStandIn(async ({ standIn, client }) => {
      standIn.faults.set({ notLeader: { host: '127.0.0.1', port: 1 } });
      expect(await outcome(client.appendToStream('s', event()))).toBe('stored at 0');
      const reading = client.readStream('s', { requiresLeader: true });
      const failed = await reading.toArray().catch((error: unknown) => error);
      expect(failed).toMatchObject({
        type: 'not-leader',
        leader: { address: '127.0.0.1', port: 1 },
      });
    }),
  );
});
