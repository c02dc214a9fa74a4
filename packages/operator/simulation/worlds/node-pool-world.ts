import { annotations, nodePools, type NodePool } from '@atoll/api';
import type { ApiError, KubeObject, Resource } from '@atoll/kube';
import type { Operation } from '../model/api-server.ts';
import { foregroundFinishes } from '../neighbours/foreground.ts';
import { creates, deletes, edits, statusFollows } from '../neighbours/people.ts';
import { withDefinition } from '../model/definitions.ts';
import { emptyStore, seed } from '../model/store.ts';
import type { Store } from '../model/store.ts';
import type { World } from '../world.ts';
import { nodePoolProcess } from './node-pool-bugs.ts';
import type { NodePoolBug } from './node-pool-bugs.ts';
import {
  ask,
  drift,
  dropType,
  flip,
  move,
  nodeIn,
  poolA,
  poolB,
  retaint,
  conflictingB,
  setZone,
  smallNodes,
  somebodys,
  taintForeign,
} from './node-pool-objects.ts';
import {
  missingIn,
  nothingRemembered,
  remember,
  wrongEffect,
  wrongReport,
  wrongState,
} from './node-pool-oracles.ts';
import { forbidden, fromOptions, stamp } from './world-options.ts';
import type { WorldOptions } from './world-options.ts';
import type { MemberBy, SmallNode } from './node-pool-objects.ts';

export interface NodePoolWorldOptions extends WorldOptions {
  readonly nodes?: readonly string[];
  readonly bug?: NodePoolBug;
  /** The label by which users put nodes into pools. Default: the label of membership. */
  readonly by?: MemberBy;
  /** The node that cannot be written. */
  readonly refused?: string;
  /** Nodes have a value of their own under a key that both pools give. */
  readonly own?: true;
  /** The second pool gives all that the first one gives, with other values. */
  readonly conflicting?: true;
  /** Pools that are deleted stay for a while. */
  readonly slowPools?: true;
}

/** Two pools that give partly equal attributes, and nodes that move, drift, break and are touched by others. */
export function nodePoolWorld(options: NodePoolWorldOptions): World {
  const { bug, by = 'nodepool', refused, own, nodes: names = ['n1'] } = options;
  const pools = [poolA, options.conflicting ? conflictingB : poolB].map((pool) =>
    options.slowPools ? slow(pool) : pool,
  );
  const members = names.map((name) => nodeIn('a', name, by, own ? { shared: somebodys } : {}));
  return {
    ...fromOptions(options),
    build: (shown) => nodePoolProcess(shown, bug),
    begin: begin(pools, members),
    keys: ['a', 'b', '(left)'],
    neighbours: [
      edits('move', smallNodes, (node) => [move(node, by)]),
      edits('ask', smallNodes, (node) => [ask(node)]),
      edits('edit', nodePools, (pool) => [setZone(pool)]),
      edits('drift', smallNodes, drift),
      edits('other writer', smallNodes, (node) => [taintForeign(node)]),
      edits('untype', nodePools, (pool) => [dropType(pool)]),
      edits('retaint', smallNodes, (node) => [retaint(node)]),
      deletes('drop', nodePools),
      creates('again', nodePools, pools),
      ...(options.slowPools ? [foregroundFinishes([nodePools as Resource<KubeObject>])] : []),
      deletes('remove', smallNodes),
      creates('register', smallNodes, members),
      { ...statusFollows('kubelet', smallNodes, flip), spends: 'flip' },
    ],
    memory: { begin: nothingRemembered, next: (memory, store) => remember(memory, store, names) },
    wrongReport,
    wrongEffect,
    wrongState,
    missing: (store) => missingIn(store, refused, own),
    ...(refused === undefined ? {} : { refuse: (operation) => refuseWriteOf(refused, operation) }),
  };
}

function begin(pools: readonly NodePool[], members: readonly SmallNode[]): Store {
  let store = withDefinition(emptyStore, nodePools);
  for (const pool of pools) store = seed(store, nodePools, pool, `uid-${pool.metadata.name}`, stamp);
  for (const node of members) store = seed(store, smallNodes, node, `uid-${node.metadata.name}`, stamp);
  return store;
}

function slow(pool: NodePool): NodePool {
  return { ...pool, metadata: { ...pool.metadata, finalizers: ['example.test/slow'] } };
}

/** Every write of the operator carries the record or taints; people's moves do not. */
function refuseWriteOf(name: string, operation: Operation): ApiError | undefined {
  if (operation.verb !== 'patch' || operation.resource.kind !== 'Node' || operation.key.name !== name)
    return undefined;
  const { metadata, spec } = operation.patch.body as {
    readonly metadata?: { readonly annotations?: Readonly<Record<string, unknown>> };
    readonly spec?: object;
  };
  const byOperator = metadata?.annotations?.[annotations.previousAttributes] !== undefined;
  return byOperator || spec !== undefined ? forbidden(`patch node ${name}`, 'denied by policy') : undefined;
}
