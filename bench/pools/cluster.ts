import { nodePools, type NodePool } from '@atoll/api';
import { install } from '@atoll/api/install';
import { nodes, type StreamingClient } from '@atoll/kube';
import { poolLabel, startControlPlane, type ControlPlane } from '@atoll/testbed';
import { inParallel } from '../rollout/in-parallel.ts';
import { auditPolicy } from '../rollout/write-log.ts';
import { poolsLabel } from './workload.ts';

const writers = 16;

/** A plane with kubelets' leases of 200 s, so that heartbeats are no load of their own. */
export async function startPlane(tell: (message: string) => void): Promise<ControlPlane> {
  return startControlPlane({ nodeLeaseSeconds: 200, audit: auditPolicy, onProgress: tell });
}

/** The kinds, the pools, and as many nodes, which belong to no pool yet. */
export async function prepare(
  plane: ControlPlane,
  client: StreamingClient,
  count: number,
): Promise<readonly NodePool[]> {
  await install(client, {});
  const pools = Array.from({ length: count }, (_, index) => pool(index));
  await inParallel(count, writers, async (index) => {
    const object = pools[index];
    if (object !== undefined) await client.create(nodePools, object);
  });
  await plane.addNodes({ nodes: count });
  await plane.nodesReady(300_000);
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
export async function joinNodes(client: StreamingClient, pools: readonly NodePool[]): Promise<void> {
  await inParallel(pools.length, writers, async (index) => {
    const labels = { [poolLabel]: pools[index]?.metadata.name };
    await client.patch(
      nodes,
      { name: `node-${index + 1}` },
      { type: 'merge', body: { metadata: { labels } } },
    );
  });
}
