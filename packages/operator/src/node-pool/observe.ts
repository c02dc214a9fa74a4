import type { NodePool } from '@atoll/api';
import type { Node, ObjectKey, Stored } from '@atoll/kube';
import type { Readers } from '../caches.ts';
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
  /** False while a cache has not been filled, or the pool cannot be read: then that it is absent proves nothing. */
  readonly certain: boolean;
}

export type NodePoolReaders = Pick<Readers, 'nodePools' | 'nodes'>;

export function observe(readers: NodePoolReaders, key: ObjectKey): NodePoolSnapshot | undefined {
  const { nodePools, nodes } = readers;
  const pool = key.name === leaversKey ? undefined : nodePools.get({ name: key.name });
  const inCharge = nodes.by('pool', key.name).filter((node) => keyInCharge(node, canBeJoined) === key.name);
  if (pool === undefined && inCharge.length === 0) return undefined;
  const isHidden = pool === undefined && nodePools.isUnreadable?.({ name: key.name }) === true;
  const certain = nodePools.synced && nodes.synced && !isHidden;
  return { name: key.name, pool, nodes: inCharge, certain };

  function canBeJoined(name: string): boolean {
    const wanted = nodePools.get({ name });
    return wanted !== undefined && wanted.metadata.deletionTimestamp === undefined;
  }
}
