import type { NodePool } from '@atoll/api';
import type { Node, ObjectKey, Stored } from '@atoll/kube';
import type { Readers } from '../caches.ts';
import { leaversKey } from './node-key.ts';

export interface NodePoolSnapshot {
  readonly name: string;
  /** undefined: it vanished, or its nodes were labelled before it was made; or the key is that of nodes which left. */
  readonly pool: Stored<NodePool> | undefined;
  /** Members in the order of their names; for {@link leaversKey} the nodes that no pool claims. */
  readonly nodes: readonly Stored<Node>[];
  /** False while a cache has not been filled: then an absent pool proves nothing. */
  readonly certain: boolean;
}

export type NodePoolReaders = Pick<Readers, 'nodePools' | 'nodes'>;

export function observe(readers: NodePoolReaders, key: ObjectKey): NodePoolSnapshot | undefined {
  const pool = key.name === leaversKey ? undefined : readers.nodePools.get({ name: key.name });
  const nodes = readers.nodes.by('pool', key.name);
  if (pool === undefined && nodes.length === 0) return undefined;
  return { name: key.name, pool, nodes, certain: readers.nodePools.synced && readers.nodes.synced };
}
