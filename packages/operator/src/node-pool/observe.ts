import type { NodePool } from '@atoll/api';
import type { Node, ObjectKey, Stored } from '@atoll/kube';
import type { Readers } from '../caches.ts';
import { isNoted, keptOnLeaver, wasCounted } from './kept-as-found.ts';
import { membershipOf } from './membership.ts';
import { keyInCharge, leaversKey } from './node-key.ts';

export interface NodePoolSnapshot {
  readonly name: string;
  /** undefined: it vanished, or its nodes were labelled before it was made; or the key is that of nodes which left. */
  readonly pool: Stored<NodePool> | undefined;
  /**
   * The nodes that this key looks after, those that are about to join or leave included, in the order of their names;
   * for {@link leaversKey} the nodes that no pool claims.
   */
  readonly nodes: readonly Stored<Node>[];
  /** Where the pool does not exist, or is being deleted: nodes that ask to join it by the older label, and stay where they are. */
  readonly asking: readonly Stored<Node>[];
  /** False while a cache has not been filled, or the pool cannot be read: then that it is absent proves nothing. */
  readonly certain: boolean;
  /** Pools are here that an old operator counted, and none that Atoll has seen. */
  readonly isFirst: boolean;
  /** Nodes are in no pool, keep labels that an old operator left there, and that is not noted yet. */
  readonly hasUnnotedLeavers: boolean;
}

export type NodePoolReaders = Pick<Readers, 'nodePools' | 'nodes'>;

export function observe(readers: NodePoolReaders, key: ObjectKey): NodePoolSnapshot | undefined {
  const { nodePools, nodes } = readers;
  const pool = key.name === leaversKey ? undefined : nodePools.get({ name: key.name });
  const naming = nodes.by('pool', key.name);
  const inCharge = naming.filter((node) => keyInCharge(node, canBeJoined) === key.name);
  const asking = canBeJoined(key.name) ? [] : naming.filter((node) => asksFor(node, key.name));
  if (pool === undefined && inCharge.length === 0 && asking.length === 0) return undefined;
  const isHidden = pool === undefined && nodePools.isUnreadable?.({ name: key.name }) === true;
  const certain = nodePools.synced && nodes.synced && !isHidden;
  const isFirst = isFirstOf(nodePools.list());
  const hasUnnotedLeavers = isFirst && nodes.list().some((node) => isLeaver(node) && !isNotedLeaver(node));
  return { name: key.name, pool, nodes: inCharge, asking, certain, isFirst, hasUnnotedLeavers };

  function canBeJoined(name: string): boolean {
    const wanted = nodePools.get({ name });
    return wanted !== undefined && wanted.metadata.deletionTimestamp === undefined;
  }

  function isLeaver(node: Stored<Node>): boolean {
    const name = keyInCharge(node, canBeJoined);
    return name !== undefined && nodePools.get({ name }) === undefined;
  }
}

function isFirstOf(pools: readonly Stored<NodePool>[]): boolean {
  return pools.some(wasCounted) && pools.every(({ status }) => status?.observedGeneration === undefined);
}

function isNotedLeaver(node: Stored<Node>): boolean {
  const kept = keptOnLeaver(node, true);
  return kept === undefined || isNoted(node, kept);
}

function asksFor(node: Stored<Node>, pool: string): boolean {
  const { request } = membershipOf(node);
  return request?.does === 'join' && request.pool === pool;
}
