import type { NodePool } from '@atoll/api';
import type { Node, Stored } from '@atoll/kube';
import { attributesOf, noAttributes } from './attributes.ts';
import { keptTaints } from './kept-taints.ts';
import { following, membershipOf } from './membership.ts';
import type { NodePoolSnapshot } from './observe.ts';
import { changeOf, type NodeChange } from './reconcile-node.ts';

/** What plan and status of a pool are made of. */
export interface NodePoolDecision {
  /** Nodes that are not as they should be; none while the caches are not filled. */
  readonly outdated: readonly { readonly node: Stored<Node>; readonly change: NodeChange }[];
  /** Nodes that an old operator left without NoExecute taints of the pool, and that stay so. */
  readonly withoutTaints: readonly Stored<Node>[];
}

export function decide({ pool, nodes, certain }: NodePoolSnapshot): NodePoolDecision {
  if (!certain) return { outdated: [], withoutTaints: [] };
  return {
    outdated: nodes.flatMap((node) => {
      const change = nodeChange(node, pool);
      return change === undefined ? [] : [{ node, change }];
    }),
    withoutTaints: pool === undefined ? [] : nodes.filter((node) => keptTaints(node, pool).taints.length > 0),
  };
}

/** How a node has to change that this key looks after; undefined: not at all. */
function nodeChange(node: Stored<Node>, pool: Stored<NodePool> | undefined): NodeChange | undefined {
  const { request } = membershipOf(node);
  const stays = pool !== undefined && request?.does !== 'leave';
  const change = stays
    ? changeOf(node, attributesOf(pool), keptTaints(node, pool))
    : changeOf(node, noAttributes);
  // A join is followed by the key of the pool that it asks for, which is in charge only if that pool exists.
  const follows = request !== undefined && (request.does !== 'join' || request.pool === pool?.metadata.name);
  if (!follows) return change;
  const asked = following(request);
  return {
    ...change,
    labels: { ...change?.labels, ...asked.labels },
    annotations: { ...change?.annotations, ...asked.annotations },
  };
}
