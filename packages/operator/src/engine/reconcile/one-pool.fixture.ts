import { labels, nodePools, type NodePool } from '@atoll/api';
import { customResourceDefinitions, nodes, ObjectCache } from '@atoll/kube';
import type { KubeObject, Node, Resource, Stored, Taint, WriteThroughCache } from '@atoll/kube';
import { caches } from '../../caches.ts';
import { createNodePoolController } from '../../node-pool/controller.ts';
import { stored } from '../engine.fixture.ts';

/** The pool `hz` of the type Edge, in whose status the nodes are. */
export function hz(
  resourceVersion: string,
  generation: number,
  taints: readonly Taint[],
  members: readonly string[],
): Stored<NodePool> {
  const found = { [labels.poolType]: 'edge', [labels.oldPoolType]: 'edge' };
  const pool = stored(nodePools, 'hz', resourceVersion, { namespace: undefined, generation, labels: found });
  const status = { observedGeneration: 1, nodes: members };
  return { ...pool, spec: { type: 'Edge', taints }, status } as Stored<NodePool>;
}

/** A ready node of that pool, without its taints. */
export function memberOf(name: string): Stored<Node> {
  const found = { [labels.nodePool]: 'hz', [labels.poolType]: 'edge' };
  const node = stored(nodes, name, '5', { namespace: undefined, labels: found });
  const ready = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' };
  return { ...node, spec: {}, status: { conditions: [ready] } } as Stored<Node>;
}

/** The controller of pools, and the caches that it reads, which hold the pool and its nodes. */
export function poolController(pool: Stored<NodePool>, ...members: readonly Stored<Node>[]) {
  const pools = new ObjectCache<NodePool>({ resource: nodePools });
  const nodeCache = new ObjectCache<Node>({ resource: nodes, indexers: caches.nodes.indexers as never });
  pools.replace([pool], '20', true);
  nodeCache.replace(members, '20', true);
  const cacheOf = (resource: Resource<KubeObject>) =>
    ((resource as unknown) === nodePools ? pools : nodeCache) as unknown as WriteThroughCache<KubeObject>;
  const definitionOfNodePools = new ObjectCache({ resource: customResourceDefinitions });
  definitionOfNodePools.replace([], '20', true);
  const readers = { nodePools: pools, definitionOfNodePools, nodes: nodeCache } as never;
  return { cacheOf, controller: createNodePoolController(readers) };
}
