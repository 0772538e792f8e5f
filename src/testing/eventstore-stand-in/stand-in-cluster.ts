/**
 * Several stand-ins that pretend to be one cluster: they share a log, gossip tells of them all,
 * and one of them leads. Followers forward what they are sent unless a call requires the leader.
 */
import type { ClusterMember } from './server-context.js';
import { EventStoreStandIn } from './stand-in.js';
import { EventStore } from './store/event-store.js';

export class StandInCluster {
  readonly store: EventStore;
  readonly #nodes: EventStoreStandIn[] = [];
  #leader: EventStoreStandIn | undefined;

  private constructor(store: EventStore) {
    this.store = store;
  }

  /** The first node leads. */
  static async start(size = 3): Promise<StandInCluster> {
    const cluster = new StandInCluster(new EventStore());
    const members = () => cluster.#members();
    for (let n = 0; n < size; n += 1) {
      cluster.#nodes.push(await EventStoreStandIn.start({ store: cluster.store, members }));
    }
    cluster.#leader = cluster.#nodes[0];
    return cluster;
  }

  get nodes(): readonly EventStoreStandIn[] {
    return this.#nodes;
  }

  get leader(): EventStoreStandIn {
    if (this.#leader === undefined) throw new Error('the cluster has no leader');
    return this.#leader;
  }

  get connectionString(): string {
    const hosts = this.#nodes.map(({ port }) => `127.0.0.1:${port}`);
    return `esdb://${hosts.join(',')}?tls=false`;
  }

  /** Makes another node the leader. It remembers no event ids. For the time of an election set
   * the nodes' switch `notReady` to `appends`. */
  lead(node: EventStoreStandIn): void {
    this.#leader = node;
    this.store.beginEpoch();
  }

  async close(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.close()));
  }

  #members(): readonly ClusterMember[] {
    return this.#nodes.map((node) => ({
      host: '127.0.0.1',
      port: node.port,
      state: node === this.#leader ? 'leader' : 'follower',
      alive: node.running,
    }));
  }
}
