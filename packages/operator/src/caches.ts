import { nodePools, unitedDaemonSets, yurtAppDaemons } from '@atoll/api';
import { controllerOf, controllerRevisions, deployments, nodes, projection, statefulSets } from '@atoll/kube';
import type { Indexers, KubeObject, Node, Projection, Reader, Resource } from '@atoll/kube';
import { poolKeyOf } from './node-pool/node-key.ts';

/** How one resource is kept in memory. */
export interface CacheDeclaration<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly indexers: Indexers<T>;
  /** undefined: the whole object. */
  readonly projection?: Projection<T>;
}

/** Files a child under the uid of its controller: a label alone never makes an object ours. */
const byOwner = {
  owner: (object: KubeObject): readonly string[] => {
    const owner = controllerOf(object);
    return owner === undefined ? [] : [owner.uid];
  },
};

/** Files a node under the key that looks after it, so that also those are found which left a pool or name none that exists. */
const byPool: Indexers<Node> = {
  pool: (node) => {
    const key = poolKeyOf(node);
    return key === undefined ? [] : [key];
  },
};

/** What controllers read of a node. Heartbeats, images and addresses never become objects. */
const nodeFields = projection<Node>()(
  'metadata.labels',
  'metadata.annotations',
  'spec.taints',
  'spec.unschedulable',
  'status.conditions.type',
  'status.conditions.status',
  'status.conditions.lastTransitionTime',
);

/** Every cache of the operator, declared once: what it holds, how it is indexed, which fields it keeps. */
export const caches = {
  nodePools: cache({ resource: nodePools, indexers: {} }),
  unitedDaemonSets: cache({ resource: unitedDaemonSets, indexers: {} }),
  yurtAppDaemons: cache({ resource: yurtAppDaemons, indexers: {} }),
  nodes: cache({ resource: nodes, indexers: byPool, projection: nodeFields }),
  deployments: cache({ resource: deployments, indexers: byOwner }),
  statefulSets: cache({ resource: statefulSets, indexers: byOwner }),
  controllerRevisions: cache({ resource: controllerRevisions, indexers: byOwner }),
} as const;

export type CacheName = keyof typeof caches;

/** What controllers are made of: one reader for each declared cache. */
export type Readers = {
  readonly [Name in CacheName]: (typeof caches)[Name] extends CacheDeclaration<infer T> ? Reader<T> : never;
};

function cache<T extends KubeObject>(declaration: CacheDeclaration<T>): CacheDeclaration<T> {
  return declaration;
}
