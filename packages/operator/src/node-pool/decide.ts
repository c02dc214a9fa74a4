import type { NodePool } from '@atoll/api';
import type { Node, Stored } from '@atoll/kube';
import type { Hold } from '../engine/hold.ts';
import { isTooLong, tooLong } from './nodes/annotation-size.ts';
import { attributesOf, noAttributes, type Attributes } from './nodes/attributes.ts';
import { whyPoolMaybeLost } from './lost-pools.ts';
import { keptAsFound, keptOnLeaver } from './nodes/kept-as-found.ts';
import { following, membershipOf } from './membership.ts';
import type { NodePoolSnapshot } from './observe.ts';
import {
  changeOf,
  changeOfKept,
  ownLabels,
  reservedLabels,
  type NodeChange,
} from './nodes/reconcile-node.ts';
import { readRecordsOnce, type Kept, type ReadRecord } from './nodes/record.ts';

/** What plan and status of a pool are made of. */
export interface NodePoolDecision {
  /** Nodes that are not as they should be; none while the caches are not filled. */
  readonly outdated: readonly { readonly node: Stored<Node>; readonly change: NodeChange }[];
  /** Nodes that are not written, because they would have more annotations than the API server allows. */
  readonly tooLong: readonly Hold[];
  /** Nodes that stay as they are because their pool, which is absent, may come back, and why. */
  readonly lost: readonly { readonly node: Stored<Node>; readonly why: string }[];
  /** Nodes that an old operator left without NoExecute taints of the pool, and that stay so. */
  readonly withoutTaints: readonly Stored<Node>[];
  /** Nodes that an old operator left with other labels than the pool gives, and that stay so; without a pool, with the labels of one. */
  readonly otherLabels: readonly Stored<Node>[];
  /** What nodes of the pool have not as it gives it, and why that stays so. */
  readonly notSet: NotSet;
}

/** Of nodes in a pool. */
export interface NotSet {
  /** NoExecute taints that an old operator left off. */
  readonly taints: readonly KeyOnNode[];
  /** Labels that an old operator left so. */
  readonly labels: readonly KeyOnNode[];
  /** Labels that say what a node is, and of which it has a value of its own. */
  readonly ownLabels: readonly KeyOnNode[];
}

export interface KeyOnNode {
  readonly key: string;
  readonly nodeName: string;
}

export const nothingNotSet: NotSet = { taints: [], labels: [], ownLabels: [] };

export function decide(snapshot: NodePoolSnapshot): NodePoolDecision {
  const { pool, definitionOfPools, nodes, certain, leftAsFound } = snapshot;
  if (!certain)
    return { outdated: [], tooLong: [], lost: [], withoutTaints: [], otherLabels: [], notSet: nothingNotSet };
  const given = pool === undefined ? noAttributes : attributesOf(pool);
  const read = readRecordsOnce();
  const decided = nodes.map((node) => {
    const kept =
      pool === undefined
        ? keptOnLeaver(node, leftAsFound.has(node.metadata.uid))
        : keptAsFound(node, pool, given);
    const change = nodeChange(node, pool, kept, given, read);
    const isTaken = pool === undefined && change !== undefined && staysMember(node);
    const why = isTaken ? whyPoolMaybeLost(node, definitionOfPools) : undefined;
    return { node, kept, why, change: why === undefined ? change : undefined };
  });
  const changed = decided.flatMap(({ node, change }) => (change === undefined ? [] : [{ node, change }]));
  // Without a pool things are only taken off.
  const held = new Set(changed.filter(({ node, change }) => pool !== undefined && isTooLong(node, change)));
  return {
    outdated: changed.filter((each) => !held.has(each)),
    tooLong: tooLong(given, [...held]),
    lost: decided.flatMap(({ node, why }) => (why === undefined ? [] : [{ node, why }])),
    withoutTaints: decided.filter(({ kept }) => kept !== undefined && kept.taints.length > 0).map(nodeOf),
    otherLabels: decided
      .filter(({ kept }) => kept !== undefined && Object.keys(kept.labels).length > 0)
      .map(nodeOf),
    notSet: pool === undefined ? nothingNotSet : notSetOn(decided, given, read),
  };
}

function notSetOn(
  decided: readonly { readonly node: Stored<Node>; readonly kept: Kept | undefined }[],
  given: Attributes,
  read: ReadRecord,
): NotSet {
  const reserved = reservedLabels(given);
  // One that is about to leave gets nothing.
  const members = decided.filter(({ node }) => membershipOf(node).request?.does !== 'leave');
  const on = (keysOf: (each: (typeof members)[number]) => readonly string[]): readonly KeyOnNode[] =>
    members.flatMap((each) => keysOf(each).map((key) => ({ key, nodeName: each.node.metadata.name })));
  return {
    taints: on(({ kept }) => [...new Set(kept?.taints.map(({ key }) => key))]),
    labels: on(({ kept }) => Object.keys(kept?.labels ?? {})),
    ownLabels: on(({ node }) => ownLabels(node, reserved, read)),
  };
}

function staysMember(node: Stored<Node>): boolean {
  const { current, request } = membershipOf(node);
  return current !== undefined && request?.does !== 'leave';
}

function nodeOf({ node }: { readonly node: Stored<Node> }): Stored<Node> {
  return node;
}

/** How a node has to change that this key looks after; undefined: not at all. */
function nodeChange(
  node: Stored<Node>,
  pool: Stored<NodePool> | undefined,
  kept: Kept | undefined,
  given: Attributes,
  read: ReadRecord,
): NodeChange | undefined {
  const { request } = membershipOf(node);
  const change =
    request?.does === 'leave'
      ? changeOf(node, noAttributes, undefined, read)
      : pool === undefined && kept !== undefined
        ? changeOfKept(node, kept)
        : changeOf(node, given, kept, read);
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
