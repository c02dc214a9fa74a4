import { annotations, nodePools } from '@atoll/api';
import { nodes } from '@atoll/kube';
import type { ApiError } from '@atoll/kube';
import type { Operation } from '../model/api-server.ts';
import { deletes, edits, statusFollows } from '../neighbours/people.ts';
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
import type { MemberBy } from './node-pool-objects.ts';

export interface NodePoolWorldOptions extends WorldOptions {
  readonly nodes?: readonly string[];
  readonly bug?: NodePoolBug;
  /** The label by which users put nodes into pools. Default: the label of membership. */
  readonly by?: MemberBy;
  /** The node that cannot be written. */
  readonly refused?: string;
  /** Nodes have a value of their own under a key that both pools give. */
  readonly own?: true;
}

/** Two pools that give partly equal attributes, and nodes that move, drift, break and are touched by others. */
export function nodePoolWorld(options: NodePoolWorldOptions): World {
  const { bug, by = 'nodepool', refused, own } = options;
  return {
    ...fromOptions(options),
    build: (shown) => nodePoolProcess(shown, bug),
    begin: begin(options.nodes ?? ['n1'], by, own ? { shared: somebodys } : {}),
    keys: ['a', 'b', '(left)'],
    neighbours: [
      edits('move', smallNodes, (node) => [move(node, by)]),
      edits('ask', smallNodes, (node) => [ask(node)]),
      edits('edit', nodePools, (pool) => [setZone(pool)]),
      edits('drift', smallNodes, drift),
      edits('other writer', smallNodes, (node) => [taintForeign(node)]),
      edits('untype', nodePools, (pool) => [dropType(pool)]),
      deletes('drop', nodePools),
      deletes('remove', smallNodes),
      { ...statusFollows('kubelet', smallNodes, flip), spends: 'flip' },
    ],
    memory: { begin: nothingRemembered, next: remember },
    wrongReport,
    wrongEffect,
    wrongState,
    missing: (store) => missingIn(store, refused, own),
    ...(refused === undefined ? {} : { refuse: (operation) => refuseWriteOf(refused, operation) }),
  };
}

function begin(names: readonly string[], by: MemberBy, own: Readonly<Record<string, string>>): Store {
  let store = seed(emptyStore, nodePools, poolA, 'uid-a', stamp);
  store = seed(store, nodePools, poolB, 'uid-b', stamp);
  for (const name of names) store = seed(store, nodes, nodeIn('a', name, by, own), `uid-${name}`, stamp);
  return store;
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
