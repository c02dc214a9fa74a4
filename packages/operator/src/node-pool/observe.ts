import type { NodePool } from '@atoll/api';
import type { Node, ObjectKey, Stored } from '@atoll/kube';
import type { Readers } from '../caches.ts';
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
  return { name: key.name, pool, nodes: inCharge, asking, certain };

  function canBeJoined(name: string): boolean {
    const wanted = nodePools.get({ name });
    return wanted !== undefined && wanted.metadata.deletionTimestamp === undefined;
  }
}

function asksFor(node: Stored<Node>, pool: string): boolean {
  const { request } = membershipOf(node);
  return request?.does === 'join' && request.pool === pool;
}
