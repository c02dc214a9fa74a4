// What OpenYurt's own end-to-end tests of NodePools and YurtAppDaemons ask for. They run as a suite: before and after
// each, the label is taken off all nodes and all pools are deleted, one request right after the other.
import { labels, nodePools, yurtAppDaemons, type PoolWorkload } from '@atoll/api';
import { namespaces, nodes, pods, type StreamingClient } from '@atoll/kube';
import { daemon } from '../set-up/objects.ts';

type NodesByPool = Readonly<Record<string, readonly string[]>>;

/** The tests of NodePools: the pools that are made, and the nodes of each. */
export const poolScenarios: readonly NodesByPool[] = [
  {},
  { 'test-ab12': ['node-1', 'node-2'] },
  { beijing: ['node-1'], hangzhou: ['node-2'] },
];

/** Every request must succeed at once. */
export async function cleanUp(client: StreamingClient): Promise<void> {
  for (const { metadata } of (await client.list(nodes)).items) {
    if (metadata.labels?.[labels.nodePool] === undefined) continue;
    await labelNode(client, metadata.name, null);
  }
  for (const { metadata } of (await client.list(nodePools)).items) {
    await client.delete(nodePools, { name: metadata.name });
  }
}

export async function makePools(client: StreamingClient, pools: NodesByPool): Promise<void> {
  for (const name of Object.keys(pools)) {
    await client.create(nodePools, { metadata: { name }, spec: { type: 'Edge' } });
  }
  for (const [pool, members] of Object.entries(pools)) {
    for (const node of members) await labelNode(client, node, pool);
  }
}

async function labelNode(client: StreamingClient, name: string, pool: string | null): Promise<void> {
  const body = { metadata: { labels: { [labels.nodePool]: pool } } };
  await client.patch(nodes, { name }, { type: 'merge', body });
}

/** The ready nodes that each pool counts. */
export async function readyNodesOf(client: StreamingClient): Promise<Readonly<Record<string, number>>> {
  const { items } = await client.list(nodePools);
  return Object.fromEntries(items.map(({ metadata, status }) => [metadata.name, status?.readyNodeNum ?? 0]));
}

/** A YurtAppDaemon for all pools of type edge, in a namespace of its own. */
export async function makeDaemon(client: StreamingClient, namespace: string): Promise<void> {
  await client.create(namespaces, { metadata: { name: namespace } });
  const shape = daemon({ name: 'test-appdaemon', pools: { [labels.poolType]: 'edge' } });
  const workload: PoolWorkload = { ...shape, metadata: { ...shape.metadata, namespace } };
  await client.create(yurtAppDaemons, workload);
}

/** The phases of a pool's pods. */
export async function phasesIn(
  client: StreamingClient,
  namespace: string,
  pool: string,
): Promise<readonly (string | undefined)[]> {
  const { items } = await client.list(pods, { namespace, labelSelector: `${labels.poolName}=${pool}` });
  return items.map(({ status }) => status?.phase);
}
