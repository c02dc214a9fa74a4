import { nodePools, type NodePool } from '@atoll/api';
import { inParallel, nodes, type Client } from '@atoll/kube';
import { poolLabel, type ControlPlane } from '@atoll/testbed';
import { requestsInFlight } from '../rollout/requests-in-flight.ts';
import { poolsLabel } from './workload.ts';

/** The pools, and as many nodes, which belong to no pool yet. */
export async function makePools(
  controlPlane: ControlPlane,
  client: Client,
  count: number,
): Promise<readonly NodePool[]> {
  const pools = Array.from({ length: count }, (_, index) => pool(index));
  await inParallel(pools, requestsInFlight, async (each) => client.create(nodePools, each));
  await controlPlane.addNodes({ nodes: count });
  await controlPlane.nodesReady(300_000);
  return pools;
}

/** A tenth of the pools keeps other pods away; every pool has something to put on its node. */
export function pool(index: number): NodePool {
  const name = `pool-${String(index).padStart(4, '0')}`;
  const taints = [{ key: 'example.com/site', value: name, effect: 'NoSchedule' }] as const;
  return {
    metadata: { name, labels: { [poolsLabel]: 'true' } },
    spec: {
      type: 'Edge',
      labels: { 'example.com/site': name },
      ...(index % 10 === 0 ? { taints } : {}),
    },
  } as NodePool;
}

/** Each node joins a pool of its own, as fast as the API server takes it. */
export async function joinNodes(client: Client, pools: readonly NodePool[]): Promise<void> {
  await inParallel(pools, requestsInFlight, async ({ metadata }, index) => {
    const body = { metadata: { labels: { [poolLabel]: metadata.name } } };
    await client.patch(nodes, { name: `node-${index + 1}` }, { type: 'merge', body });
  });
}
