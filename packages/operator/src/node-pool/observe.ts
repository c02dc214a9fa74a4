import type { NodePool } from '@atoll/api';
import type { Node, ObjectKey, Stored } from '@atoll/kube';
import type { Readers } from '../caches.ts';
import { installedDefinition, type InstalledDefinition } from '../children/lost-with-definition.ts';
import { readOnce } from '../children/read-once.ts';
import { isNoted, keptOnLeaver, wasCounted } from './nodes/kept-as-found.ts';
import { membershipOf } from './membership.ts';
import { leaversListedIn } from './nodes/unnoted-nodes.ts';
import { keyInCharge, leaversKey } from './nodes/node-key.ts';

export interface NodePoolSnapshot {
  readonly name: string;
  /** undefined: it vanished, or its nodes were labelled before it was made; or the key is that of nodes which left. */
  readonly pool: Stored<NodePool> | undefined;
  readonly definitionOfPools: InstalledDefinition;
  /**
   * The nodes that this key looks after, those that are about to join or leave included, in the order of their names;
   * for {@link leaversKey} the nodes that no pool claims.
   */
  readonly nodes: readonly Stored<Node>[];
  /** Where the pool does not exist, or is being deleted: nodes that ask to join it by the older label, and stay where they are. */
  readonly asking: readonly Stored<Node>[];
  /** False while a cache has not been filled, or the pool cannot be read: then that it is absent proves nothing. */
  readonly certain: boolean;
  /** Where there is no pool: the uids of those nodes that an old operator left so, noted or not. */
  readonly leftAsFound: ReadonlySet<string>;
  /**
   * Nodes that are in no pool, keep labels that an old operator left there, and are not noted yet: those that the status of this pool lists,
   * and all as long as no pool is seen.
   */
  readonly unnotedLeavers: readonly Stored<Node>[];
}

export type NodePoolReaders = Pick<Readers, 'nodePools' | 'definitionOfNodePools' | 'nodes'>;

export function observe(readers: NodePoolReaders, key: ObjectKey): NodePoolSnapshot | undefined {
  const { nodePools, definitionOfNodePools, nodes } = readers;
  const pool = key.name === leaversKey ? undefined : nodePools.get({ name: key.name });
  const naming = nodes.by('pool', key.name);
  const inCharge = naming.filter((node) => keyInCharge(node, canBeJoined) === key.name);
  const asking = canBeJoined(key.name) ? [] : naming.filter((node) => asksFor(node, key.name));
  if (pool === undefined && inCharge.length === 0 && asking.length === 0) return undefined;
  const isHidden = pool === undefined && nodePools.isUnreadable?.({ name: key.name }) === true;
  const certain = nodePools.synced && definitionOfNodePools.synced && nodes.synced && !isHidden;
  const pools = nodePools.list();
  const isFirst = isFirstOf(pools);
  const leftAsFound = new Set(
    pool !== undefined
      ? []
      : isFirst
        ? inCharge.map(({ metadata }) => metadata.uid)
        : pools.flatMap(leaversListedIn).map(({ uid }) => uid),
  );
  const unnotedLeavers = pool === undefined ? [] : unnotedLeaversFor(pool, isFirst);
  return {
    name: key.name,
    pool,
    definitionOfPools: installedDefinition(nodePools, definitionOfNodePools),
    nodes: inCharge,
    asking,
    certain,
    leftAsFound,
    unnotedLeavers,
  };

  function unnotedLeaversFor(found: Stored<NodePool>, all: boolean): readonly Stored<Node>[] {
    const candidates = all
      ? nodes.list()
      : leaversListedIn(found).flatMap(({ nodeName: name, uid }) => {
          const node = nodes.get({ name });
          return node?.metadata.uid === uid ? [node] : [];
        });
    return candidates.filter((node) => keepsUnnoted(node) && isLeaver(node));
  }

  function canBeJoined(name: string): boolean {
    const wanted = nodePools.get({ name });
    return wanted !== undefined && wanted.metadata.deletionTimestamp === undefined;
  }

  function isLeaver(node: Stored<Node>): boolean {
    const name = keyInCharge(node, canBeJoined);
    if (name === undefined || nodePools.get({ name }) !== undefined) return false;
    // Whether a pool that cannot be read gives it something is not known, and nothing is taken off.
    return nodePools.isUnreadable?.({ name }) !== true;
  }
}

/** Pools are here that an old operator counted, and none that Atoll has seen. */
function isFirstOf(pools: readonly Stored<NodePool>[]): boolean {
  return pools.every(({ status }) => status?.observedGeneration === undefined) && pools.some(wasCounted);
}

/** Of a node in no pool. Until a first pool is seen, every pool asks it of every node. */
const keepsUnnoted = readOnce((node: Stored<Node>): boolean => {
  const kept = keptOnLeaver(node, true);
  return kept !== undefined && !isNoted(node, kept);
});

function asksFor(node: Stored<Node>, pool: string): boolean {
  const { request } = membershipOf(node);
  return request?.does === 'join' && request.pool === pool;
}
